/** A script that asks the vCenters of a config for their facts. It reads only, and nothing that it prints is secret. */
import { singleQuoted } from "../../../text/shell.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { FactsCollector } from "../../fact-questions.js";
import { vsphereOf } from "../config.js";

export const collector: FactsCollector = {
  program: "govc",
  login:
    "GOVC_USERNAME and GOVC_PASSWORD; GOVC_USERNAME_2 and GOVC_PASSWORD_2 where the second vCenter has another login, and so on",
  lines(config) {
    const vcenters = vsphereOf(config).vcenters ?? [];
    return [
      ...COMMON,
      "",
      ...vcenters.flatMap(({ server = "", port }, index) => {
        const url = singleQuoted(`${server}:${(port ?? 0) === 0 ? 443 : port}`);
        const own = (name: string): string =>
          index === 0 ? `"$GOVC_${name}"` : `"\${GOVC_${name}_${index + 1}:-$GOVC_${name}}"`;
        return [
          `login ${url} ${own("USERNAME")} ${own("PASSWORD")}`,
          `vcenter ${singleQuoted(writeYaml(server).trimEnd())}`,
        ];
      }),
      "",
      "# Nothing is printed before every answer is known.",
      "cat <<END",
      "apiVersion: slipway.dev/v1alpha1",
      "kind: CloudFacts",
      "vsphere:",
      "  vcenters:",
      "END",
      'printf %s "$facts"',
    ];
  },
};

const COMMON = [
  `: "\${GOVC_USERNAME:?set it to the user of the vCenter}" "\${GOVC_PASSWORD:?set it to the password of the user}"`,
  "facts=",
  "add() {",
  '  facts="$facts$1',
  '"',
  "}",
  "# Lines as texts of a YAML list.",
  "listed() { sed \"s/'/''/g; s/^/    - '/; s/\\$/'/\"; }",
  "login() {",
  "  GOVC_URL=$1 user=$2 password=$3",
  "  export GOVC_URL",
  "}",
  "# The password is in the environment of govc only, and no session is kept.",
  'ask() { GOVC_PERSIST_SESSION=false GOVC_USERNAME=$user GOVC_PASSWORD=$password govc "$@"; }',
  "vcenter() {",
  "  about=$(ask about)",
  '  add "  - server: $1"',
  "  add \"    version: '$(printf '%s\\n' \"$about\" | sed -n 's/^Version: *//p')'\"",
  "  add \"    build: '$(printf '%s\\n' \"$about\" | sed -n 's/^Build: *//p')'\"",
  "  inventory=$(ask find -type d -type c -type p -type s -type n -type f -type m /)",
  "  add '    inventory:'",
  '  add "$(printf \'%s\\n\' "$inventory" | listed)"',
  "  hosts=$(ask find -type h / -runtime.inMaintenanceMode false)",
  '  [ -n "$hosts" ] || return 0',
  "  add '    hosts:'",
  "  while read -r host; do",
  '    product=$(ask object.collect "$host" config.product.version config.product.build </dev/null)',
  "    add \"$(printf '%s\\n' \"$host\" | sed \"s|.*/||; s/'/''/g; s/^/    - name: '/; s/\\$/'/\")\"",
  "    add \"      version: '$(printf '%s\\n' \"$product\" | awk '$1 == \"config.product.version\" { print $3 }')'\"",
  "    add \"      build: '$(printf '%s\\n' \"$product\" | awk '$1 == \"config.product.build\" { print $3 }')'\"",
  "  done <<END",
  "$hosts",
  "END",
  "}",
];
