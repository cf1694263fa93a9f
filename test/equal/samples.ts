/** Made-up texts for install-configs: SSH keys, pull secrets and a certificate authority. */

export const SSH_KEYS: readonly string[] = [
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTLVnPyBW6UiEnt5yNRCpdaPx8fWyLfqqhh2QxQ2mVH a@example",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTLVnPyBW6UiEnt5yNRCpdaPx8fWyLfqqhh2QxQ2mVH",
  'no-pty,command="x y" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTLVnPyBW6UiEnt5yNRCpdaPx8fWyLfqqhh2QxQ2mVH a b c',
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTLVnPyBW6UiEnt5yNRCpdaPx8fWyLfqqhh2QxQ2mVH a\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTLVnPyBW6UiEnt5yNRCpdaPx8fWyLfqqhh2QxQ2mVH b\n",
  "",
];

/** Keys that a cluster with FIPS takes. */
export const FIPS_SSH_KEYS: readonly string[] = [
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC3qQyommvawcYHCSnc7Gt0vZ4qHMhDry3tDm4KGU0U+6zdSGBFA3SUL/XNSVoljwYHtK0tzM/6LpDYTNc42qva/cQDe09A7MU47Rg/KaZR4RrEnPhR4txZTH5aj6ikxjDy41lre1PMts3/LkHeQ1nEt7m3mSfMWWBYBof4rB+QNqEIUefAVQucl65PiazNPEVTkH1ISAicHtbxdwGhJS0wXm4RKI/YrMvc4AJJ0XqsuA68wVskhKDSVOI/XS8SyRFOjBTRc6mGHEGyEzOp6GURBNeDG//5IV7qTrnFIpDwiQfwXzgutDgFe4WwYmfAwdPSZZO4oJmAu96v9Az/n08XJzzUDujf0W2MF6RGwFZR+kIKtQ0VfFxkXe5OlsI+g06MBcjXJEL7rqDm7Q4pSrTsVRm6GBZp8s2GR4Igz9eYjN0r2nelLavo1PsLqIMjS8cV0t5EYTgCFhluWf5bpSjlpPvkelsLYYS3hG8QsI0K0chafcXGhwwGD1ezj5/JCP8= r@example",
  "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBD5XRLVrt/6zWoYgX64kdxzG4FXzwNyaCL/1fQoVW4PRZfc7B+i+UBInlJNutn12PXyde4wiUF200EgYN6DFK3k= e@example",
];

const auth = (text: string): string => Buffer.from(text).toString("base64");

export const PULL_SECRETS: readonly string[] = [
  JSON.stringify({ auths: { "registry.example.com": { auth: auth("user:secret") } } }),
  JSON.stringify({
    auths: {
      "quay.io": { auth: auth("a:b"), email: "a@example.com" },
      "m.example.com:5000": { auth: auth("c:d") },
    },
  }),
  `${JSON.stringify({ auths: { "quay.io": { auth: auth("a:b"), email: "a&b <c>" } } }, undefined, 2)}\n`,
];

/** A certificate authority that ends in 2081. */
export const BUNDLE = `-----BEGIN CERTIFICATE-----
MIIBsTCCAVegAwIBAgIUH4HlHMcQixUycVNDInuXcWZVYdAwCgYIKoZIzj0EAwIw
JTEQMA4GA1UECgwHZXhhbXBsZTERMA8GA1UEAwwIcHJveHktY2EwIBcNMjYxMTMw
MTExMDE5WhgPMjA4MTA5MDIxMTEwMTlaMCUxEDAOBgNVBAoMB2V4YW1wbGUxETAP
BgNVBAMMCHByb3h5LWNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDRq+AvG
kdcA0MmD9MsTLeRXqkor9ymqAi/oXNtgVgjLOBUwNutx2a7TR/vL8B9VQu0rlIBK
HyHP+wIeZsAzlaNjMGEwHQYDVR0OBBYEFLN2nj5siUOVc970YUJc8r9zdequMB8G
A1UdIwQYMBaAFLN2nj5siUOVc970YUJc8r9zdequMA8GA1UdEwEB/wQFMAMBAf8w
DgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMCA0gAMEUCIEF2yew3qsSn1sPK+qzo
1Bu5nR1sx+PQz/THWuUiknjfAiEA2J26XxxyMj2Ec2G2oS7d9N78Y/1DYvngSpzn
QPnyut4=
-----END CERTIFICATE-----
`;
