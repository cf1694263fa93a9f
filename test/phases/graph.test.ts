import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type toDot, toMermaid } from "../../src/phases/graph.js";

const test = suite("the graph of phases as text");

const GRAPH: Parameters<typeof toDot>[0] = {
  nodes: [
    { name: "install-config.yaml", kind: "input", summary: "" },
    { name: "manifests", kind: "phase", summary: "" },
    { name: "Ingress", kind: "asset", summary: "" },
    { name: "manifests/ingress.yaml", kind: "output", summary: "" },
  ],
  edges: [
    ["install-config.yaml", "manifests"],
    ["manifests", "Ingress"],
    ["Ingress", "manifests/ingress.yaml"],
  ],
};

test("Mermaid closes each form as it opens it", () => {
  assert.is(
    toMermaid(GRAPH),
    `flowchart LR
  n0>"install-config.yaml"]
  n1["manifests"]
  n2(["Ingress"])
  n3[("manifests/ingress.yaml")]
  n0 --> n1
  n1 --> n2
  n2 --> n3
`,
  );
});

test.run();
