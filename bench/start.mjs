export default [
  { name: "slipway --version / node -e 0", command: ["slipway", "--version"], limit: 1.3 },
  { name: "slipway --help / node -e 0", command: ["slipway", "--help"], limit: 1.5 },
];
