/** A report with every section in which each text comes from the caller. */
import type { ReportData } from "../../src/report/report.js";

export function sampleReport(text: () => string): ReportData {
  const steps = [
    { release: text(), action: text(), storedVersion: text(), behavior: text(), sentence: text() },
    { release: text(), action: text(), storedVersion: text(), behavior: null, sentence: text() },
  ];
  const numbers = { supported: 1, migrated: 3, maxUpgrade: 4, maxDowngrade: 1 };
  const release = (column: number) => ({ release: text(), column });
  return {
    tool: text(),
    attention: [
      { severity: "warning", what: text(), command: text() },
      { severity: "error", what: text(), section: "directory", command: text() },
      { severity: "info", what: text() },
    ],
    fleet: {
      file: text(),
      clusters: (["up to date", "edited", "out of date", "not generated", "invalid"] as const).map(
        (state) => ({
          name: text(),
          directory: text(),
          platform: text(),
          release: text(),
          phases: ["manifests"],
          state,
          files: [[text(), 2] as const],
          problem: text(),
        }),
      ),
    },
    diagnostics: (["error", "warning", "info"] as const).map((severity) => ({
      severity,
      code: text(),
      place: text(),
      field: text(),
      message: text(),
      hint: text(),
    })),
    plans: (["upgrade", "transfer", "repair"] as const).map((kind) => ({
      kind,
      file: text(),
      title: text(),
      verdict: text(),
      tone: "warn" as const,
      summary: [[text(), [text(), text()]] as const],
      steps: (["step", "gate", "blocked", "irreversible"] as const).map((each) => ({
        kind: each,
        does: text(),
        notes: [text()],
        verbatim: [text()],
      })),
      tables: [{ caption: text(), head: [text(), text()], rows: [[text(), text()]] }],
    })),
    directory: {
      path: text(),
      identity: { name: text(), infraID: text(), clusterID: text() },
      phases: [
        { name: text(), tool: text(), consumed: false, files: 3 },
        { name: text(), tool: text(), consumed: true, files: 0 },
      ],
      options: [[text(), text()]],
      clean: false,
      files: [
        { path: text(), status: "stale" },
        { path: text(), status: "untouched" },
      ],
      changes: [
        { path: text(), status: "stale", object: text(), changed: [text(), text()], command: text() },
      ],
      certificates: [
        {
          name: text(),
          notBefore: new Date("2027-01-15T08:00:00Z"),
          notAfter: new Date("2027-01-16T08:00:00Z"),
        },
        {
          name: text(),
          notBefore: new Date("2027-01-15T08:00:00Z"),
          notAfter: new Date("2037-01-12T08:00:00Z"),
        },
      ],
      graph: '<?xml version="1.0"?>\n<!-- drawn -->\n<svg width="10pt"><g><title>phase</title></g></svg>\n',
    },
    gates: [
      {
        file: text(),
        component: text(),
        current: "1.31",
        columns: ["1.30", "1.31"],
        gates: [
          {
            name: text(),
            removableFrom: text(),
            state: "overdue",
            reason: text(),
            stages: [
              {
                version: text(),
                column: -1,
                stage: "Alpha",
                default: false,
                locked: false,
                minCompatibilityVersion: null,
              },
              {
                version: text(),
                column: 1,
                stage: "GA",
                default: true,
                locked: true,
                minCompatibilityVersion: text(),
              },
            ],
          },
        ],
      },
    ],
    apis: {
      file: text(),
      columns: ["1.30", "1.31", "1.32"],
      kinds: [
        {
          group: text(),
          version: text(),
          kind: text(),
          stability: "beta",
          introduced: release(0),
          deprecated: release(1),
          removed: release(2),
          replacement: text(),
        },
      ],
    },
    behaviors: {
      file: text(),
      policy: text(),
      releases: [text(), text(), text()],
      resources: [
        {
          name: text(),
          storedWith: text(),
          versions: [
            { version: text(), behaviors: [undefined, "supported", "preferred"] },
            { version: text(), behaviors: ["preferred", "preferred", "supported"] },
          ],
        },
      ],
    },
    policy: {
      name: text(),
      numbers,
      moratorium: false,
      migration: "complete",
      verdict: { safe: false, states: 15, transitions: 57, counterexample: steps },
      fix: text(),
      map: { migrated: [3, 4], rows: [{ supported: 1, safe: [false, true] }] },
      costs: [
        { numbers, states: 16, transitions: 64 },
        { numbers: { ...numbers, migrated: 8 }, states: 30, transitions: 208 },
      ],
      resources: {
        file: text(),
        states: 1,
        transitions: 2,
        unsafe: [{ resource: text(), steps }],
        unpromised: [text()],
        fix: text(),
      },
    },
    simulation: {
      file: text(),
      steps: [
        {
          step: 0,
          action: text(),
          server: text(),
          release: text(),
          object: text(),
          crashed: true,
          converted: 2,
          failedConversions: 1,
          failedReads: 0,
          fights: 0,
          toMigrate: 1,
          lost: [text()],
          rewritten: [{ object: text(), from: null, to: text(), by: text() }],
          failures: [{ of: text(), why: text() }],
        },
      ],
      lost: [
        {
          object: text(),
          storedVersion: text(),
          behavior: text(),
          step: 0,
          server: text(),
          release: text(),
          recovered: false,
        },
      ],
      stored: [{ object: text(), storedVersion: text() }],
    },
    etcd: {
      files: [text(), text()],
      target: text(),
      keys: 3,
      size: text(),
      resources: ["/registry", "/kubernetes.io"].map((prefix) => ({
        name: text(),
        prefix: `${prefix}${text()}`,
        keys: 2,
        size: text(),
        storedVersions: text(),
        providers: text(),
        stale: 1,
        unreadable: 1,
      })),
      encryptionKeys: [
        { provider: text(), values: 2, unreadable: 1, configured: true, safeToDrop: false, why: text() },
      ],
      definitions: [
        { name: text(), storageVersion: text(), storedVersions: text(), found: text(), gone: text() },
      ],
      orphans: [{ resource: text(), keys: 1, example: text() }],
      verdicts: [{ name: text(), meaning: text(), objects: 1 }],
      stale: 1,
      unreadable: 1,
      failingLists: [{ request: text(), unreadable: 1, message: text() }],
    },
  };
}
