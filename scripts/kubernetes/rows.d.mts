export function tableText(table: object, inline?: (path: string) => boolean): string;
