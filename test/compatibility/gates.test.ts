import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ask, codes, inShort, mustRead, readTable, state, table, tableText } from "../helpers/compat.js";

const test = suite("gates");

const MIXED = table({
  A: "Alpha 1.33 off",
  B: "Alpha 1.31 off, Beta 1.33 on",
  Off: "Beta 1.33 off",
  G: "Beta 1.32 on, GA 1.34 on locked",
  Free: "Beta 1.32 on, GA 1.34 on",
  D: "GA 1.0 on, Deprecated 1.34 off",
  New: "Alpha 1.35 off",
});

test("states at several emulated versions (docs/reference/compatibility-versions.md §4.3)", () => {
  const at = (emulated: string): string[] => {
    const answer = ask(MIXED, { binary: "1.35", emulated });
    assert.equal(codes(answer.diagnostics), []);
    return answer.components.flatMap(({ gates }) => gates.map((gate) => `${gate.name} ${inShort(gate)}`));
  };
  assert.equal(at("1.35"), [
    "A Alpha off",
    "B Beta on",
    "D Deprecated off",
    "Free GA on",
    "G GA on locked",
    "New Alpha off",
    "Off Beta off",
  ]);
  assert.equal(at("1.33"), [
    "A Alpha off",
    "B Beta on",
    "D GA on",
    "Free Beta on",
    "G Beta on",
    "New PreAlpha off fixed",
    "Off Beta off",
  ]);
  assert.equal(at("1.32"), [
    "A PreAlpha off fixed",
    "B Alpha off",
    "D GA on",
    "Free Beta on",
    "G Beta on",
    "New PreAlpha off fixed",
    "Off PreAlpha off fixed",
  ]);
});

test("a minimum that is inherited hides a GA spec", () => {
  const gates = table({ X: "Beta 1.35 off, Beta 1.35 on min=1.35, GA 1.37 on locked" });
  const at = (minimum: string) => state(ask(gates, { binary: "1.37", minimum }), "X");
  assert.is(inShort(at("1.34")), "Beta off");
  assert.match(
    at("1.34").reason,
    /GA of 1\.37.*requires minimum compatibility version 1\.35, which is 1\.34/,
  );
  assert.is(inShort(at("1.35")), "GA on locked");
  assert.is(
    inShort(state(ask(gates, { binary: "1.37", emulated: "1.36", minimum: "1.36" }), "X")),
    "Beta on",
  );
});

test("a setting of its own wins over AllAlpha, in both orders and flags", () => {
  for (const gates of ["AllAlpha=true,A=false", "A=false,AllAlpha=true", ["A=false", "AllAlpha=true"]]) {
    const answer = ask(MIXED, { binary: "1.35", gates });
    assert.is(state(answer, "A").enabled, false, String(gates));
    assert.is(state(answer, "A").setBy, "flag");
    assert.is(state(answer, "New").enabled, true);
    assert.is(state(answer, "New").setBy, "AllAlpha");
    assert.is(state(answer, "B").setBy, "default", "Beta gates are not touched");
  }
});

test("AllBeta touches Beta gates alone, and both ways", () => {
  const answer = ask(MIXED, { binary: "1.35", gates: "AllBeta=false,Off=true" });
  assert.equal(
    ["A", "B", "Off", "G", "D", "Free"].map((name) => `${name} ${state(answer, name).enabled}`),
    ["A false", "B false", "Off true", "G true", "D false", "Free true"],
  );
});

test("a switch passes over a lock of an Alpha or Beta spec", () => {
  const locked = table({ X: "Beta 1.33 off locked" });
  assert.is(state(ask(locked, { binary: "1.35", gates: "AllBeta=true" }), "X").enabled, true);
  assert.equal(codes(ask(locked, { binary: "1.35", gates: "X=true" }).diagnostics), ["GATE134"]);
});

test("a gate that does not exist yet is refused, whichever value", () => {
  for (const gates of ["New=false", "New=true"]) {
    const answer = ask(MIXED, { binary: "1.35", emulated: "1.34", gates });
    assert.equal(codes(answer.diagnostics), ["GATE133"]);
    assert.is(answer.accepted, false);
  }
});

test("a locked gate may be set to its own value, with a notice; the other value names the lock's release", () => {
  const own = ask(MIXED, { binary: "1.35", gates: "G=true" });
  assert.equal(codes(own.diagnostics), []);
  assert.equal(codes(own.diagnostics, "warning"), ["GATE136"]);
  const other = ask(MIXED, { binary: "1.35", gates: "G=false" });
  assert.equal(codes(other.diagnostics), ["GATE134"]);
  assert.match(other.diagnostics[0]?.message ?? "", /locked to true since 1\.34/);
});

test("values, blanks, repetition and order in the flag (docs/reference/compatibility-versions.md §4.4)", () => {
  const accepted: readonly (readonly [string | readonly string[], boolean])[] = [
    ...["1", "t", "T", "true", "True", "TRUE"].map((value) => [`Off=${value}`, true] as const),
    ...["0", "f", "F", "false", "False", "FALSE"].map((value) => [`B=true,Off=${value}`, false] as const),
    ["  Off = true  ", true],
    [",,Off=true,", true],
    ["Off=true, ,", true],
    ["Off=false,Off=true", true],
    [["Off=true", "Off=false"], false],
    ["kube:Off=true", true],
    ["kube: Off=true", true],
  ];
  for (const [gates, value] of accepted) {
    const answer = ask(MIXED, { binary: "1.35", gates });
    assert.equal(codes(answer.diagnostics), [], String(gates));
    assert.is(state(answer, "Off").enabled, value, String(gates));
  }
  const refused: readonly (readonly [string | readonly string[], readonly string[]])[] = [
    ["Off", ["GATE130"]],
    ["Off=", ["GATE131"]],
    ["Off=yes", ["GATE131"]],
    ["Off=tRue", ["GATE131"]],
    ["Off=x,Off=true", ["GATE131"]],
    ["off=true", ["GATE132"]],
    ["=true", ["GATE132"]],
    ["NoSuch=true", ["GATE132"]],
    ["kube:Off=true,B=false", ["GATE135"]],
    [["kube:Off=true", "B=false"], ["GATE135"]],
    ["wardle:Off=true", ["VER004"]],
    ["NoSuch=true,G=false,New=x", ["GATE131"]],
    ["NoSuch=true,G=false", ["GATE132", "GATE134"]],
  ];
  for (const [gates, expected] of refused)
    assert.equal(
      codes(ask(MIXED, { binary: "1.35", gates }).diagnostics).sort(),
      [...expected],
      String(gates),
    );
});

test("a refused setting is named with its column in the flag", () => {
  const [problem] = ask(MIXED, { binary: "1.35", gates: "Off=true, Fre=true" }).diagnostics;
  assert.is(problem?.file, "--feature-gates");
  assert.is(problem?.line, 1);
  assert.is(problem?.column, 11);
  assert.is(problem?.hint, "did you mean Free?");
});

test("alpha gates under emulation are accepted with a warning, without emulation silently", () => {
  const emulating = ask(MIXED, { binary: "1.35", emulated: "1.34", gates: "A=true" });
  assert.equal(codes(emulating.diagnostics), []);
  assert.equal(codes(emulating.diagnostics, "warning"), ["GATE137"]);
  // A patch release does not emulate; the library's own check warns here (docs/reference/compatibility-versions.md
  // §4.4; a quirk that is not copied).
  for (const binary of ["1.35", "v1.35.2"])
    assert.equal(ask(MIXED, { binary, gates: "A=true" }).diagnostics, [], binary);
});

test("gates of several components", () => {
  const wardle = mustRead(
    readTable(
      tableText({ Sample: "Alpha 1.1 off, Beta 1.2 on" }).replace(
        "gates:",
        'component: wardle\nversions: {binary: "1.2", emulationFloor: "1.1", minCompatibilityFloor: "1.0"}\ngates:',
      ),
    ),
  );
  const answer = ask([MIXED, wardle], {
    binary: "1.35",
    emulated: "wardle=1.1,1.34",
    gates: "wardle:Sample=true,B=false",
  });
  assert.equal(codes(answer.diagnostics), []);
  assert.is(state(answer, "Sample").stage, "Alpha");
  assert.is(state(answer, "Sample").enabled, true);
  assert.is(state(answer, "B").enabled, false);
  assert.equal(codes(ask([MIXED, wardle], { binary: "1.35", gates: "Sample=true" }).diagnostics), [
    "GATE132",
  ]);
});

test("dependencies at declaration (docs/reference/compatibility-versions.md §4.5)", () => {
  const gates = table({
    Child: "Alpha 1.31 off, Beta 1.33 on, GA 1.35 on locked",
    Same: "Alpha 1.31 off, Beta 1.33 on, GA 1.35 on locked",
    Late: "Alpha 1.34 off",
    OffBeta: "Alpha 1.31 off, Beta 1.33 off, GA 1.35 on locked",
    Unlocked: "Alpha 1.31 off, Beta 1.33 on, GA 1.35 on",
    Old: "GA 1.0 on, Deprecated 1.34 on",
  });
  const declared = (needs: readonly string[]): string[] =>
    codes(ask(gates, { binary: "1.35", dependencies: { Child: needs } }).diagnostics).sort();
  assert.equal(declared(["Same"]), []);
  assert.equal(declared([]), []);
  assert.equal(declared(["NoSuch"]), ["GATE120"]);
  assert.equal(declared(["Child"]), ["GATE124"]);
  assert.equal(declared(["Late"]), ["GATE121", "GATE122", "GATE123"]);
  assert.equal(declared(["OffBeta"]), ["GATE122"]);
  assert.equal(declared(["Unlocked"]), ["GATE123"]);
  assert.equal(declared(["Old"]), ["GATE121", "GATE123"]);
  const cycle = ask(gates, {
    binary: "1.35",
    dependencies: { Child: ["Same"], Same: ["Unlocked"], Unlocked: ["Child"] },
  });
  assert.ok(codes(cycle.diagnostics).includes("GATE124"));
  assert.match(
    cycle.diagnostics.find(({ code }) => code === "GATE124")?.message ?? "",
    /Child -> Same -> Unlocked -> Child/,
  );
  const unknown = ask(gates, { binary: "1.35", dependencies: { NoSuch: ["Same"] } });
  assert.equal(codes(unknown.diagnostics), ["GATE120"]);
});

test("what is on needs what it depends on, by flag and by default", () => {
  const gates = table({ Child: "Alpha 1.31 off, Beta 1.34 on", Parent: "Alpha 1.31 off, Beta 1.34 on" });
  const dependencies = { Child: ["Parent"] };
  const errors = (asked: { emulated?: string; gates?: string }): string[] =>
    codes(ask(gates, { binary: "1.35", dependencies, ...asked }).diagnostics);
  assert.equal(errors({}), []);
  assert.equal(errors({ gates: "Parent=false" }), ["GATE125"]);
  assert.equal(errors({ gates: "Parent=false,Child=false" }), []);
  assert.equal(errors({ emulated: "1.33", gates: "Child=true" }), ["GATE125"]);
  assert.equal(errors({ emulated: "1.33", gates: "AllAlpha=true" }), []);
  assert.equal(errors({ emulated: "1.33", gates: "AllAlpha=true,Parent=false" }), ["GATE125"]);
  assert.equal(errors({ gates: "Parent=false,NoSuch=true" }), ["GATE132"], "only when nothing else is wrong");
  // A dependency that changes later is not seen at declaration, but when gates are set.
  const deprecated = table({ Child: "GA 1.31 on", Parent: "GA 1.31 on, Deprecated 1.34 off" });
  assert.equal(codes(ask(deprecated, { binary: "1.35", dependencies }).diagnostics), ["GATE125"]);
  assert.equal(codes(ask(deprecated, { binary: "1.35", emulated: "1.33", dependencies }).diagnostics), []);
});

test("a binary knows only the gates of its own components", async () => {
  const { asComponent } = await import("../../src/compatibility/gates-question.js");
  const gates = table(
    { Kubelet: "Beta 1.33 on", Both: "Beta 1.33 on" },
    { Kubelet: { components: ["kubelet"] } },
  );
  assert.equal(codes(ask(gates, { binary: "1.35", gates: "Kubelet=false" }).diagnostics), []);
  const server = asComponent(gates, "kube-apiserver");
  assert.equal(codes(ask(server, { binary: "1.35", gates: "Kubelet=false" }).diagnostics), ["GATE132"]);
  assert.equal(codes(ask(server, { binary: "1.35", gates: "Both=false" }).diagnostics), []);
});

test("a version beyond the data counts as the newest one, with an info", () => {
  const answer = ask(MIXED, { binary: "1.40" });
  assert.equal(codes(answer.diagnostics), []);
  assert.equal(codes(answer.diagnostics, "info"), ["TAB010"]);
  assert.is(inShort(state(answer, "New")), "Alpha off");
});

test.run();
