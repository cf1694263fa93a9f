import { join } from "node:path";

const input = join(import.meta.dirname, "../golden/storage-behaviors/input/api-lifecycle.yaml");
const verify = (size) => ({
  name: `storage verify-policy, numbers up to ${size} / node -e 0`,
  command: [
    ...["slipway", "storage", "verify-policy", "--supported", String(Math.max(1, size / 4))],
    ...[
      "--migrated",
      String(size),
      "--max-upgrade",
      String(size),
      "--max-downgrade",
      String(Math.max(1, size / 4)),
    ],
  ],
});

export default [
  {
    name: "storage verify-policy, default policy / node -e 0",
    command: ["slipway", "storage", "verify-policy"],
    exit: 3,
    limit: 4,
  },
  {
    name: "storage behaviors, 224 kinds / node -e 0",
    command: ["slipway", "storage", "behaviors", "--lifecycle", input],
    limit: 8.5,
  },
  {
    name: "storage verify-policy, 224 kinds / node -e 0",
    command: ["slipway", "storage", "verify-policy", "--table", input, "--migrated", "4"],
    limit: 8.5,
  },
  {
    name: "report, 224 kinds and a policy / node -e 0",
    command: ["slipway", "report", "--html", "-", "--lifecycle", input, "--policy", "kep"],
    limit: 22,
  },
  ...[8, 40, 200, 1000].map(verify),
];
