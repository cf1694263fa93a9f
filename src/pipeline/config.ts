/**
 * The inputs of a compile: the install-config with its identity, its facts and its credentials, from the directory and
 * from the files that flags name.
 */
import { type Problem, placed } from "../core/diagnostics.js";
import { problem, warning } from "../core/problem.js";
import type { Release } from "../core/release.js";
import { checkCluster, INSTALL_CONFIG, isClosed, STATE_FILE } from "../directory/index.js";
import type { CloudFacts } from "../generated/types/cloud-facts.js";
import { validateForAgent } from "../phases/agent/install-config-rules.js";
import type { InstallConfigAsset } from "../phases/assets.js";
import { createIdentity } from "../phases/identity.js";
import { validateForImageBased } from "../phases/image-based/install-config-rules.js";
import { collidingNames, misnamedInstallConfig } from "../phases/install-config/diagnose-file.js";
import { judgeInstallConfig } from "../phases/install-config/index.js";
import { type ReadConfig, readInstallConfig } from "../phases/install-config/read.js";
import { uselessCertificates } from "../pki/trust-bundle.js";
import { type CloudFactsFile, readCloudFacts } from "../platforms/cloud-facts.js";
import type { NormalConfig } from "../platforms/config.js";
import { readCoreosStream } from "../platforms/coreos-stream.js";
import { checkCredentials } from "../platforms/credentials-rule.js";
import { parseFeatureGate } from "../platforms/enabled-gates.js";
import { placeNameProblems } from "../platforms/place-names.js";
import type {
  Credentials,
  CredentialsContext,
  Identity,
  PlatformModule,
  RuleContext,
} from "../platforms/platform.js";
import { loadOtherPlatforms, loadPlatform } from "../platforms/registry.js";
import { decodeText } from "../text/decode-text.js";
import { quote } from "../text/quote.js";
import { reportIdle } from "./idle-flags.js";
import { type CompiledConfig, type CompileRequest, type NamedText, watched } from "./request.js";
import { inputsOf } from "./seed.js";

/** The install-config with its identity and facts: every problem of the inputs. Undefined when one is an error. */
export async function compileConfig(request: CompileRequest): Promise<CompiledConfig | undefined> {
  const { failed, report } = watched(request.report);
  const known = await compileRead({ ...request, report }, readConfig(request, report), true);
  return failed() ? undefined : known;
}

/**
 * Every problem of an install-config by itself, and of the files that are given with it. Facts that are missing are
 * none, unless some are given: then it is asked what a compile would ask.
 */
export async function validateInstallConfig(
  { text, file }: NamedText,
  request: CompileRequest,
): Promise<CompiledConfig | undefined> {
  const { report, release, flags, texts } = request;
  const options = { release, lenient: flags.lenient === true, replaced: replacedFields(request) };
  const read = readInstallConfig(text, file, options, report);
  const whole =
    read === undefined
      ? undefined
      : withTexts(
          read,
          {
            pullSecret: trimmed(texts["pull-secret"]) ?? sealedPullSecret(request) ?? read.config.pullSecret,
            sshKey: trimmed(texts["ssh-key"]),
          },
          texts,
        );
  return compileRead(
    { ...request, placeholder: CREDENTIALS_ELSEWHERE },
    whole,
    texts.facts !== undefined || texts["coreos-stream"] !== undefined,
  );
}

/** Credentials are no part of the file, so that their absence is not a fault of it. */
const CREDENTIALS_ELSEWHERE = "elsewhere";

/** A config that facts are asked for. */
export interface FactsSubject {
  readonly config: NormalConfig;
  readonly platform: PlatformModule;
  /** The facts with what a stream adds; undefined where faults of the config keep them from being looked at. */
  readonly facts: CloudFacts | undefined;
}

/**
 * The config of a directory as facts are asked for it: other faults, of which the report speaks too, do not matter as long
 * as it can be read. Undefined where it cannot.
 */
export async function compileForFacts(request: CompileRequest): Promise<FactsSubject | undefined> {
  let subject: FactsSubject | undefined;
  await compileRead(request, readConfig(request, request.report), true, (config, platform, facts) => {
    subject = { config, platform, facts };
  });
  return subject;
}

/**
 * @param asks whether facts that are missing are told
 * @param known gets the config, and again with the facts
 */
async function compileRead(
  request: CompileRequest,
  read: ReadConfig | undefined,
  asks: boolean,
  known?: (config: NormalConfig, platform: PlatformModule, facts?: CloudFacts) => void,
): Promise<CompiledConfig | undefined> {
  const { release, report } = request;
  const factsFile = readFactsFile(request, report);
  const stream = readStream(request, report);
  if (read === undefined) return undefined;

  // Undefined for a platform that is missing, unknown or not handled; the rules of the install-config say so.
  const platform = await loadPlatform(read.config);
  const others = await loadOtherPlatforms(read.config);
  const { method } = request;
  // The agent-based and the image-based installer ask no cloud.
  const isAgent = method !== undefined;
  const judged = judgeInstallConfig(
    read,
    {
      release,
      platform,
      others,
      facts: factsFile?.facts,
      ...(isAgent
        ? {
            method,
            alsoValidate: (config: NormalConfig, context: RuleContext) =>
              method === "agent"
                ? validateForAgent(config, context, platform)
                : validateForImageBased(config, context),
          }
        : {}),
    },
    report,
  );
  const inputs = await inputsOf(request, read.config);
  const identity = identityOf({ ...request, inputs }, read, report);
  if (judged === undefined || platform === undefined) return undefined;
  known?.(judged.asset.config, platform);
  if (judged.failed && !judged.leavesFacts) return undefined;
  const installConfig = judged.asset;
  if (!isAgent) reportIdle(request, platform);
  reportForeignFacts(request, factsFile, platform.name);
  // What only such a file would tell is not missing when the file cannot be read.
  if (unread(request.texts.facts, factsFile) || unread(request.texts["coreos-stream"], stream))
    return undefined;

  await checkGates(installConfig, release, report);
  const { config, position } = installConfig;
  for (const { subject, why } of uselessCertificates(config.additionalTrustBundle ?? "", inputs.clock.now()))
    report(
      warning("IC134", "Invalid", "additionalTrustBundle", `the certificate of ${quote(subject)} ${why}`, {
        ...position("additionalTrustBundle"),
        hint: "use a valid certificate of the CA that signed it",
      }),
    );
  const rules = {
    release,
    report: ({ at, below: _below, inFile: _inFile, ...problem }: Problem) =>
      report(placed(problem, position(at ?? problem.field ?? ""))),
  };
  if (!isAgent) {
    platform.cloudRules?.(config).forEach(rules.report);
    placeNameProblems(config, platform.name).forEach(rules.report);
  }
  const sources = {
    facts: factsFile?.facts,
    stream,
    ...(factsFile === undefined ? {} : { positionInFacts: factsFile.position }),
  };
  const facts = platform.resolveFacts(
    config,
    sources,
    asks && !isAgent ? rules : { release, report: () => undefined },
  );
  known?.(config, platform, facts);
  const credentials = credentialsOf(request, platform, config, { ...rules, facts });
  if (!isAgent && identity !== undefined && !unread(request.texts.credentials, credentials)) {
    const input = { config, identity, facts, credentials, release };
    checkCredentials(platform, input, rules);
    if (asks) platform.checkAccount?.(input, rules);
  }
  return identity === undefined || judged.failed
    ? undefined
    : { installConfig, identity, platform, others, facts, credentials, inputs };
}

/** Custom gates that the release does not know. */
async function checkGates(
  { config, position }: InstallConfigAsset,
  release: Release,
  report: (problem: Problem) => void,
): Promise<void> {
  const gates = (config.featureGates ?? []).flatMap((entry, i) => {
    const gate = parseFeatureGate(entry);
    return gate === undefined ? [] : [{ ...gate, field: `featureGates[${i}]` }];
  });
  if (gates.length === 0) return;
  const { checkCustomGates } = await import("../compatibility/installer.js");
  checkCustomGates(gates, release, (problem) => report(placed(problem, position(problem.field ?? ""))));
}

/** True for a file that was named and could not be read, which is reported. */
const unread = (given: NamedText | undefined, read: object | undefined): boolean =>
  given !== undefined && read === undefined;

/** The install-config on disk, else the one of the state; pull secret and ssh keys of flags laid over. */
function readConfig(request: CompileRequest, report: (problem: Problem) => void): ReadConfig | undefined {
  const { directory, release, flags, texts, sealedWord } = request;
  const kept = directory.state?.installConfig;
  const file = directory.inputs.get(INSTALL_CONFIG);
  // Of one that no key opens, the state knows more.
  const onDisk = (kept?.text ?? "") !== "" && isClosed(file) ? undefined : file;
  const lenient = flags.lenient === true;
  const names = directory.rootNames ?? [];
  const source =
    onDisk !== undefined
      ? { ...decodeText(onDisk.data, INSTALL_CONFIG), file: INSTALL_CONFIG }
      : kept !== undefined
        ? { text: kept.text, problem: undefined, file: STATE_FILE }
        : undefined;
  if (source === undefined)
    return void report(
      misnamedInstallConfig(names) ??
        problem(
          "DIR014",
          "NotFound",
          "",
          `the directory contains no ${INSTALL_CONFIG} and no state of an earlier run`,
          {
            file: INSTALL_CONFIG,
            hint: "to create one with comments, run: slipway create install-config --platform PLATFORM --name NAME --base-domain DOMAIN",
          },
        ),
    );
  if (onDisk !== undefined) collidingNames(names).forEach(report);
  if (source.problem !== undefined) report(source.problem);
  if (source.text === undefined) return undefined;
  const options = { release, lenient, replaced: replacedFields(request) };
  const sealed = sealedWord === undefined ? {} : { sealedWord };
  const read =
    source.file === INSTALL_CONFIG
      ? readInstallConfig(source.text, source.file, { ...options, ...sealed }, report)
      : readKept(source.text, options, report);
  if (read === undefined) return undefined;
  const { pullSecret, sshKey } = read.config;
  // Where the key lies is not a part of a repository, so that a clone may not know it; a key may also be given up.
  if (
    !options.replaced.has("sshKey") &&
    (sshKey ?? "") === "" &&
    !read.isUnreadable("sshKey") &&
    textIn(kept?.config, "sshKey") !== undefined
  )
    report(
      warning(
        "IC123",
        "NotFound",
        "sshKey",
        "an earlier run had an SSH key, but now none is set: you will not be able to log in to troubleshoot nodes",
        {
          file: INSTALL_CONFIG,
          hint: "set --ssh-key FILE or sshKey; continue without a key only if that is intended",
        },
      ),
    );
  return withTexts(
    read,
    {
      // An empty one in the file leaves it to another source, as a missing one does.
      pullSecret:
        (trimmed(texts["pull-secret"]) ?? pullSecret) ||
        (textIn(kept?.config, "pullSecret") ?? sealedPullSecret(request)),
      sshKey: trimmed(texts["ssh-key"]),
    },
    texts,
  );
}

/**
 * The config that the state keeps. It was judged when it was a file; how it is written there is upstream's form, and
 * lines of it are no lines of a file that the user could open.
 */
function readKept(
  text: string,
  options: Parameters<typeof readInstallConfig>[2],
  report: (problem: Problem) => void,
): ReadConfig | undefined {
  const nowhere = { file: STATE_FILE, line: 0, column: 0 };
  const read = readInstallConfig(text, STATE_FILE, options, (problem) => {
    if ((problem.severity ?? "error") === "error") report({ ...problem, ...nowhere });
  });
  return read === undefined ? undefined : { ...read, position: () => nowhere, keyPosition: () => nowhere };
}

/** The fields whose values files take the place of, be they readable or encrypted. */
const replacedFields = ({
  texts,
  sealedTexts = [],
}: Pick<CompileRequest, "texts" | "sealedTexts">): ReadonlySet<string> =>
  new Set([
    ...replacements(texts).keys(),
    ...Object.entries(FIELD_OF_FILE).flatMap(([flag, field]) =>
      sealedTexts.some((each) => each === flag) ? [field] : [],
    ),
  ]);

/** Stands in for a pull secret in a file that no available key opens. */
const sealedPullSecret = ({ sealedTexts = [] }: CompileRequest): string | undefined =>
  sealedTexts.includes("pull-secret")
    ? '{"auths":{"registry.invalid":{"auth":"dW5rbm93bjp1bmtub3du"}}}'
    : undefined;

/** The fields whose values are in files of their own, by the flag. */
const FIELD_OF_FILE = { "pull-secret": "pullSecret", "ssh-key": "sshKey" } as const;

/** The files that flags name in the place of fields, by the field. */
function replacements(texts: CompileRequest["texts"]): ReadonlyMap<string, string> {
  const flags = ["pull-secret", "ssh-key"] as const;
  return new Map(
    flags.flatMap((flag) => {
      const given = texts[flag];
      return given === undefined ? [] : [[FIELD_OF_FILE[flag], given.file] as const];
    }),
  );
}

/** The text of a file without its final newlines. */
const trimmed = (named: NamedText | undefined): string | undefined => named?.text.trimEnd();

/** The config with a pull secret and ssh keys from elsewhere; what is wrong with those is said of their files. */
function withTexts(
  read: ReadConfig,
  { pullSecret, sshKey }: { pullSecret: string | undefined; sshKey: string | undefined },
  texts: CompileRequest["texts"],
): ReadConfig {
  const files = replacements(texts);
  return {
    ...read,
    position: (field) => {
      const file = files.get(field);
      return file === undefined ? read.position(field) : { file, line: 0, column: 0 };
    },
    config: {
      ...read.config,
      ...(pullSecret === undefined ? {} : { pullSecret }),
      ...(sshKey === undefined ? {} : { sshKey }),
    },
  };
}

const textIn = (object: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined => {
  const value = object?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

function readFactsFile(
  request: CompileRequest,
  report: (problem: Problem) => void,
): CloudFactsFile | undefined {
  const given = request.texts.facts;
  return given === undefined ? keptFacts(request) : readCloudFacts(given.text, given.file, report);
}

/** A file with facts of other platforms alone is most likely another cluster's; one for several platforms is not. */
function reportForeignFacts(
  { texts, report }: CompileRequest,
  read: CloudFactsFile | undefined,
  platform: string,
): void {
  const { apiVersion: _, kind: __, ...ofPlatforms } = read?.facts ?? {};
  const sections = Object.keys(ofPlatforms);
  if (texts.facts === undefined || sections.length === 0 || sections.includes(platform)) return;
  report(
    warning(
      "FACT009",
      "NotFound",
      "",
      `the file has facts for ${sections.join(" and ")}, but none for ${platform}, the platform of the install-config`,
      { file: texts.facts.file, hint: `use the facts file of this cluster, with a section ${platform}` },
    ),
  );
}

/** The facts of the state, where no file is at hand, as in a reconstructed directory; images of a given stream win. */
function keptFacts({ directory, texts }: CompileRequest): CloudFactsFile | undefined {
  const kept = directory.state?.facts;
  if (kept === undefined) return undefined;
  const facts = texts["coreos-stream"] === undefined ? kept : withoutImages(kept);
  const read = readCloudFacts(JSON.stringify(facts), STATE_FILE, () => undefined);
  if (read === undefined) return undefined;
  return { facts: read.facts, position: () => ({ file: STATE_FILE, line: 0, column: 0 }) };
}

/** Facts without the boot images of any platform. */
const withoutImages = (facts: object): object =>
  Object.fromEntries(
    Object.entries(facts).map(([name, section]: [string, unknown]) => [
      name,
      typeof section === "object" && section !== null && "images" in section
        ? { ...section, images: {} }
        : section,
    ]),
  );

function readStream(request: CompileRequest, report: (problem: Problem) => void) {
  const given = request.texts["coreos-stream"];
  return given === undefined ? undefined : readCoreosStream(given.text, given.file, report);
}

/** The identity of the state or of the record; for a new cluster the given one, else a random one. */
function identityOf(
  { directory: { state, record }, given, inputs }: CompileRequest,
  read: ReadConfig,
  report: (problem: Problem) => void,
): Identity | undefined {
  const name = read.config.metadata?.name;
  const claims = checkCluster({
    state,
    record,
    ...given,
    ...(name === undefined ? {} : { name: { value: name, ...read.position("metadata.name") } }),
  });
  claims.forEach(report);
  if (claims.length > 0) return undefined;
  if (state?.clusterID !== undefined)
    return { infraID: state.clusterID.infraID, clusterID: state.clusterID.uuid };
  if (record !== undefined) return { infraID: record.cluster.infraID, clusterID: record.cluster.clusterID };
  return name === undefined ? undefined : createIdentity(name, given, inputs.random, report);
}

function credentialsOf(
  { texts, directory, placeholder, readFile }: CompileRequest,
  platform: PlatformModule,
  config: NormalConfig,
  rules: Omit<CredentialsContext, "readFile">,
): Credentials | undefined {
  const given = texts.credentials;
  if (given === undefined && directory.state?.credentials !== undefined) return directory.state.credentials;
  if (given === undefined)
    return placeholder === undefined || platform.credentialNames === undefined
      ? undefined
      : Object.fromEntries(platform.credentialNames.map((name) => [name, placeholder]));
  const context = { ...rules, readFile: readFile ?? (() => undefined) };
  return platform.readCredentials?.(given.text, given.file, context, config);
}
