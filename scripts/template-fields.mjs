// The fields of the object that a template makes, with the place in the view that each is filled from.
import Handlebars from "handlebars";
import { load } from "js-yaml";

/**
 * The fields of the object that a template makes: `spec.replicas` → `replicas`, the place in the view, or null where the
 * text stands in the template itself. Items of lists are alike: `subnets[].id`.
 */
export function fieldsOf(template, templates) {
  const at = (prefix, name) => (prefix === "" ? name : name === "" ? prefix : `${prefix}.${name}`);
  const place = (expression, prefix) =>
    expression.original === "this" ? prefix : at(prefix, expression.parts.join("."));
  const write = (program, prefix, inverse, depth = 0) =>
    (program?.body ?? [])
      .map((node) => {
        if (node.type === "ContentStatement") return node.value;
        if (node.type === "MustacheStatement")
          return JSON.stringify(`\u0000${place(node.params[0], prefix)}`);
        if (node.type === "PartialStatement") {
          const text = write(
            Handlebars.parse(templates.get(node.name.original)),
            node.params[0] === undefined ? prefix : place(node.params[0], prefix),
            inverse,
            depth,
          );
          return text.replace(/^(?=.)/gm, node.indent);
        }
        if (node.type !== "BlockStatement") return "";
        const chosen = node.inverse !== undefined && inverse(depth) ? node.inverse : node.program;
        const inner = node.path.original === "each" ? `${place(node.params[0], prefix)}[]` : prefix;
        return write(chosen, inner, inverse, depth + 1);
      })
      .join("");
  const found = {};
  const walk = (value, path) => {
    if (typeof value === "string" && value.startsWith("\u0000")) found[path] ??= value.slice(1);
    else if (Array.isArray(value)) for (const each of value) walk(each, `${path}[]`);
    else if (value !== null && typeof value === "object" && Object.keys(value).length > 0)
      for (const [key, each] of Object.entries(value)) walk(each, at(path, escaped(key)));
    else if (path !== "") found[path] ??= null;
  };
  const program = Handlebars.parse(templates.get(template));
  for (const inverse of [() => false, () => true, (depth) => depth % 2 === 0, (depth) => depth % 2 === 1])
    walk(objectOf(write(program, "", inverse)), "");
  return found;
}

/** Both sides of a condition may name a key, and a side without its other one may be no YAML; then the others tell. */
function objectOf(text) {
  try {
    return load(text, { json: true });
  } catch {
    return {};
  }
}

/** A key with dots in it stands in brackets, as in field paths. */
const escaped = (key) => (/^[\w-]+$/.test(key) ? key : `[${key}]`);
