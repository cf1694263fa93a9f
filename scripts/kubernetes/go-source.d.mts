export interface Token {
  readonly kind: "name" | "text" | "rune" | "number" | "mark" | "newline";
  readonly text: string;
  readonly line: number;
}

export interface Element {
  readonly key: Expression | undefined;
  readonly value: Expression;
}

/** What an expression is; the members of its form are set. */
export interface Expression {
  readonly name?: string;
  readonly text?: string;
  readonly number?: number;
  readonly call?: Expression;
  readonly arguments?: readonly Expression[];
  readonly of?: Expression;
  readonly member?: string;
  readonly type?: string | undefined;
  readonly elements?: readonly Element[];
  readonly operands?: readonly (string | Expression)[];
  readonly body?: readonly Token[];
}

export interface KubernetesRelease {
  readonly release: string;
  readonly version: string;
  readonly place: (path: string) => string | undefined;
  readonly sources: (path: string) => string[];
  readonly constant: (file: string, name: string) => string | undefined;
}

export function tokensOf(text: string, file?: string): Token[];
export function expressionAt(tokens: readonly Token[], at: number): { value: Expression; next: number };
export function compositesOf(tokens: readonly Token[], type: RegExp): Expression[];
export function callsOf(tokens: readonly Token[], name: string): Expression[][];
export function importsOf(tokens: readonly Token[]): Map<string, string>;
export function constantsOf(tokens: readonly Token[]): Map<string, { text?: string; name?: string }>;
export function functionsOf(
  tokens: readonly Token[],
): { name: string; receiver: string | undefined; body: Token[] }[];
export function kubernetesRelease(folder: string, release: string): KubernetesRelease;
