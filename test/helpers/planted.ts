/**
 * Secrets that tests put into inputs. The test runner searches every recorded output for them: a test that handles
 * secrets uses these values, so that a leak anywhere fails the run.
 */
export const PLANTED = {
  pullSecretAuth: "PLANTED-pull-secret-auth",
  password: "PLANTED-password-of-a-host",
  proxyPassword: "PLANTED-proxy-password",
  sshKeyComment: "PLANTED-ssh-key-comment",
  cloudSecretKey: "PLANTED-cloud-secret-access-key",
  token: "PLANTED-bearer-token",
} as const;
