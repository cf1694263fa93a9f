/** A form: a JSON Schema reduced to what reading a document needs. Made from schemas/ at build time. */

/** Our own annotations of a schema node. */
export interface FormNotes {
  /** At the root: the newest release that the form was compared with. */
  readonly reviewed?: string;
  /** First release that knows the field. */
  readonly since?: string;
  /** First release that no longer knows the field. */
  readonly before?: string;
  /** Of a deprecated field: the field beside it that took its place, such as `machineNetwork[0].cidr`. */
  readonly replacedBy?: string;
  /** Field of the document (from its root) that members come from which are not written here. */
  readonly inherits?: string;
  readonly required?: boolean;
  /** Of text: a number or truth value is refused, not taken as its text. */
  readonly literal?: boolean;
  /**
   * Where a sign of a placeholder may legally stand: inside a longer value (a comment of a key, a password in an
   * address), or anywhere; elsewhere it is an error. `own`: what is inside has a check of its own.
   */
  readonly placeholders?: "inside" | "anywhere" | "own";
  /** The value is one of a few words. */
  readonly closed?: boolean;
  /** The members exclude each other, and which one is there decides. */
  readonly selects?: boolean;
  /** Members that releases once knew: the first release that did not, and what took their place. */
  readonly removed?: { readonly [name: string]: { readonly before?: string; readonly instead?: string } };
}

export interface Form {
  readonly type?: string | readonly string[];
  /** Of strings: `cidr`, `date-time`, `quantity`; of integers: `int32`, `int64`, `uint32`, `int-or-string`. */
  readonly format?: string;
  readonly properties?: { readonly [name: string]: Form };
  readonly additionalProperties?: boolean | Form;
  readonly items?: Form;
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: Form };
  readonly required?: readonly string[];
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
  readonly "x-slipway"?: FormNotes;
}

/** The node that a reference stands for; what is said beside the reference wins. */
export function resolveForm(form: Form, root: Form): Form {
  if (form.$ref === undefined) return form;
  const target = root.$defs?.[form.$ref.replace("#/$defs/", "")];
  if (target === undefined) throw new Error(`the schema has no ${form.$ref}`);
  return target;
}

/** The notes of a node, those of a reference before those of its target. */
export const notesOf = (form: Form, root: Form): FormNotes => ({
  ...resolveForm(form, root)["x-slipway"],
  ...form["x-slipway"],
});

/** The one type of a node; `null` beside it does not count. */
export function typeOf(form: Form): string {
  const { type } = form;
  if (typeof type === "string") return type;
  return type?.find((each) => each !== "null") ?? "any";
}

/** True when a value has the types and only the members that a form says. */
export function conforms(value: unknown, form: Form, root: Form): boolean {
  const resolved = resolveForm(form, root);
  const { properties, additionalProperties, items } = resolved;
  switch (typeOf(resolved)) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      if (typeof value === "string") return resolved.format === "int-or-string";
      return typeof value === "number" && Number.isInteger(value);
    case "array":
      return (
        Array.isArray(value) && value.every((item) => items === undefined || conforms(item, items, root))
      );
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      return Object.entries(value).every(([name, member]) => {
        const own =
          properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
        if (own !== undefined) return conforms(member, own, root);
        if (typeof additionalProperties === "object") return conforms(member, additionalProperties, root);
        return additionalProperties === true;
      });
    }
    default:
      return true;
  }
}
