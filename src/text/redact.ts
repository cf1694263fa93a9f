export const showKey = (name: string): string => name;
