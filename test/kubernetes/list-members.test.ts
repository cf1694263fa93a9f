/** Objects of documents and of every kind of list. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { itemsOf, memberObject, membersOf } from "../../src/kubernetes/list-members.js";
import { readYaml } from "../../src/text/yaml-read.js";

const rootOf = (text: string) => {
  const root = readYaml(text, "x.yaml").documents[0]?.root;
  if (root === undefined) throw new Error("no document");
  return root;
};

/** `base: apiVersion kind name` of every member. */
const said = (text: string): string[] =>
  membersOf(rootOf(text)).map((member) => {
    const object = memberObject(member);
    return `${member.base}: ${String(object?.["apiVersion"])} ${String(object?.["kind"])} ${String(object?.["name"])}`;
  });

const test = suite("lists");

test("an object is its own only member, and so is a kind that ends in List without items", () => {
  assert.equal(said("{apiVersion: v1, kind: Secret, name: a}"), [": v1 Secret a"]);
  assert.equal(said("{apiVersion: v1, kind: GuestList, name: a, items: yes}"), [": v1 GuestList a"]);
  assert.is(itemsOf(rootOf("{kind: Secret, items: []}")), undefined);
});

test("a List in a List, a list of one kind in it: each item is what it says, or what its list says", () => {
  const text = `
apiVersion: v1
kind: List
items:
- {apiVersion: apps/v1, kind: Deployment, name: a}
- apiVersion: v1
  kind: SecretList
  items:
  - {name: b}
  - {kind: ConfigMap, name: c}
- kind: List
  items:
  - apiVersion: v1
    kind: List
    items: [{apiVersion: v1, kind: Pod, name: d}]
`;
  assert.equal(said(text), [
    "items[0]: apps/v1 Deployment a",
    "items[1].items[0]: v1 Secret b",
    "items[1].items[1]: undefined ConfigMap c",
    "items[2].items[0].items[0]: v1 Pod d",
  ]);
});

test("what is no mapping is a member that is not an object; an empty list has none", () => {
  const [only] = membersOf(rootOf("{apiVersion: v1, kind: List, items: [7]}"));
  assert.ok(only !== undefined);
  assert.is(memberObject(only), undefined);
  assert.equal(membersOf(rootOf("{apiVersion: v1, kind: List, items: []}")), []);
});

test.run();
