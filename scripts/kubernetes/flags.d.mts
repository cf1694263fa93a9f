export interface PrintedFlag {
  readonly Name: string;
  readonly Default: string;
  readonly Deprecated: string;
  readonly Hidden: boolean;
}
export function flagsOfHelp(text: string): PrintedFlag[];
export function readFlags(text: string): Record<string, PrintedFlag[]>;
