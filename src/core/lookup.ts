/**
 * The entry of a table under a name that a user wrote; undefined for a name that is not there. A plain `table[name]`
 * would find what every object inherits, such as `constructor`.
 */
export const lookup = <T>(table: { readonly [name: string]: T } | undefined, name: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
