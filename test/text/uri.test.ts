import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseUri } from "../../src/text/uri.js";

test("parts of a URL", () => {
  const parts: readonly [text: string, scheme: string, hostname: string, port: string, path: string][] = [
    ["http://proxy.example.com:3128", "http", "proxy.example.com", "3128", ""],
    ["HTTPS://h/a/b", "https", "h", "", "/a/b"],
    ["http://u:p%40@h:1", "http", "h", "1", ""],
    ["http://u:p@q@h:1", "http", "h", "1", ""],
    ["http://[fd00::1]:80/", "http", "fd00::1", "80", "/"],
    ["http://[fe80::1%25eth0]", "http", "fe80::1%eth0", "", ""],
    ["http://[fe80::1%25e<n]", "http", "fe80::1%e<n", "", ""],
    ["http://[::]:80", "http", "::", "80", ""],
    ["http://h:", "http", "h", "", ""],
    ["http:///p", "http", "", "", "/p"],
    ["http:opaque", "http", "", "", "opaque"],
    ["proxy.example.com:3128", "proxy.example.com", "", "", "3128"],
    ["http://a:b:80", "http", "a:b", "80", ""],
    ["http://h%c3%a9", "http", "hé", "", ""],
    ["/path", "", "", "", "/path"],
    ["*", "", "", "", "*"],
  ];
  for (const [text, ...expected] of parts) {
    const uri = parseUri(text, "request");
    assert.equal([uri?.scheme, uri?.hostname, uri?.port, uri?.path], expected, text);
  }
  assert.is(parseUri("http://u@h", "request")?.hasUser, true);
  assert.is(parseUri("http://h?", "request")?.query, "?");
  assert.is(parseUri("https://h/a?b#c", "reference")?.query, "?b");
});

test("what cannot be read", () => {
  const bad = [
    "",
    "10.9.8.7:3128",
    "host",
    "://h",
    "http://h:port",
    "http://[::1",
    "http://[1.2.3.4]",
    "http://[fe80::1%25]",
    "http://[fe80::1%A25en0]",
    "http://x[::1]",
    "http://h x",
    "http://h{",
    "http://h%20",
    "http://u<@h",
    "http://u:p%4@h",
    "http://h/%",
    "http://h#f",
    "http://h\n",
    "http://\u007fh",
  ];
  for (const text of bad) assert.is(parseUri(text, "request"), undefined, text);
  assert.is(parseUri("a:b/redfish", "reference")?.scheme, "a");
  assert.is(parseUri("1.2.3.4:80/redfish", "reference"), undefined);
  assert.is(parseUri("http://h#%", "reference"), undefined);
  assert.is(parseUri("host/path", "reference")?.path, "host/path");
});

test.run();
