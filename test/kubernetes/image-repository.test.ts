import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseRepository } from "../../src/kubernetes/image-repository.js";
import { cpuMs } from "../helpers/cpu.js";

const digest = `sha256:${"a".repeat(64)}`;

test("repositories and registries", () => {
  const good: readonly [text: string, kind: string, host: string][] = [
    ["quay.io/team/image", "repository", "quay.io"],
    ["registry.example.com:5000/image", "repository", "registry.example.com:5000"],
    ["localhost/image", "repository", "localhost"],
    ["quay.io/a__b/c--d/e.f", "repository", "quay.io"],
    ["docker.io/library/image", "repository", "docker.io"],
    ["registry.example.com", "registry", "registry.example.com"],
    ["registry.example.com:5000", "registry", "registry.example.com:5000"],
    ["10.0.0.1:5000", "registry", "10.0.0.1:5000"],
    ["image", "registry", "image"],
    ["image:latest", "registry", "image:latest"],
  ];
  for (const [text, kind, host] of good) assert.equal(parseRepository(text), { kind, host }, text);
});

test("what is not a repository", () => {
  const bad = [
    "",
    "quay.io/team/image:v1",
    `quay.io/team/image@${digest}`,
    `image@${digest}`,
    "quay.io/Team/image",
    "Quay.io",
    "team/image",
    "docker.io/image",
    "index.docker.io/library/image",
    "https://quay.io/team",
    "quay.io/",
    "quay.io//image",
    "quay.io/image/",
    "/image",
    "quay.io/a___b",
    "quay.io/-a",
    "quay.io/a b",
    "[fd00::1]:5000",
    "[fd00::1]/image",
    "*.example.com",
    "a".repeat(64),
    `quay.io/${"a".repeat(248)}`,
  ];
  for (const text of bad) assert.is(parseRepository(text).kind, "fault", text);
  assert.is(parseRepository(`quay.io/${"a".repeat(247)}`).kind, "repository", "255 characters are allowed");
});

test("a long name that does not fit is refused at once", () => {
  const spent = cpuMs(() => void parseRepository(`quay.io/${"a".repeat(200)}!`));
  // What backtracks over the name needs longer than anybody waits.
  assert.ok(spent < 10_000, `${spent} ms`);
});

test.run();
