/** Storage versions: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const STORAGE: Remedies<"STO"> = {
  STO001: {
    remedy: "Mark exactly one version as preferred.",
  },
  STO002: {
    remedy: "Keep one entry per version and release.",
  },
  STO003: {
    remedy: "Use only the same or a more restrictive behavior in later releases.",
  },
  STO004: {
    remedy: "Keep the behavior for the reported number of releases.",
    why: "Clusters that skip releases or roll back need the behavior for that long in order to read their data.",
    example: "slipway storage behaviors --lifecycle apis.yaml --policy moratorium",
  },
  STO005: {
    remedy: "Prefer the version one release later.",
  },
  STO006: {
    remedy: "Set its behavior to ignored.",
  },
  STO007: {
    remedy: "Serve it for the reported time.",
  },
  STO008: {
    remedy: "Keep the version readable.",
  },
  STO010: {
    remedy: "Use a number of releases in the reported range.",
    why: "The numbers count minor releases, so they are small whole numbers.",
    example: "slipway storage verify-policy --supported 1 --migrated 3 --max-upgrade 4 --max-downgrade 1",
  },
  STO011: {
    remedy: 'Use "YYYY-MM-DD".',
  },
  STO030: {
    remedy: "Use the output of: kubectl get crd NAME -o yaml.",
    why: "The comparison needs a complete definition in the version that all supported releases serve.",
    example: "kubectl get crd widgets.example.com -o yaml > old.yaml",
  },
  STO031: {
    remedy: "Compare two states of the same definition.",
  },
  STO032: {
    remedy: "Get it from the cluster: kubectl get crd NAME -o yaml.",
  },
  STO033: {
    remedy: "Set storage: true in one version.",
  },
  STO034: {
    remedy: "Use a whole number of 0 or more.",
  },
  STO035: {
    remedy: "Migrate these objects first; slipway etcd audit lists unreadable ones.",
  },
  STO036: {
    remedy: "Use the JSON output of slipway etcd audit of a whole copy.",
  },
  STO037: {
    remedy: "Get the CRD from the cluster: kubectl get crd NAME -o yaml.",
  },
  STO038: {
    remedy: "Keep the fields in the schema, or change the objects first.",
  },
  STO039: {
    remedy: "Add it to the other file if you want to keep it.",
  },
  STO040: {
    remedy: "Migrate them with a release in between.",
    why: "A migration rewrites objects through the API server, which must be able to read the stored version.",
    example: "slipway storage migrations --from 1.33 --to 1.34 --lifecycle apis.yaml",
  },
  STO041: {
    remedy: "Before you create the migrations, meet the requirements that the message lists.",
    why: "The StorageVersionMigration API or its controller is not available in every release.",
    example: "kubectl api-resources --api-group storagemigration.k8s.io",
  },
  STO042: {
    remedy: "Use one of the listed releases.",
  },
  STO044: {
    remedy: "Check the definition with kubectl apply --dry-run=server.",
    why: "slipway evaluates most of CEL but not every library. An API server rejects a definition with a rule that does not compile.",
    example: "kubectl apply --dry-run=server --filename crd.yaml",
  },
  STO050: {
    remedy: "Specify a server that an earlier step started.",
    why: "A scenario may have several API servers of different releases, so each step specifies which one it uses.",
    example: `servers:
- {name: a, release: "1.34"}
steps:
- {action: upgrade, server: a, release: "1.35"}`,
  },
  STO051: {
    remedy: "Use a resource and version of the behavior table.",
    why: "The simulation stores objects only of resources that the table describes.",
    example: "slipway storage behaviors --lifecycle apis.yaml",
  },
  STO052: {
    remedy: "Use a release of the behavior table.",
    why: "Without behaviors the simulation cannot know which versions that release reads and writes.",
    example: "slipway storage behaviors --lifecycle apis.yaml --release 1.36",
  },
  STO053: {
    remedy: "Use a value in the reported range.",
  },
  STO054: {
    remedy: "Upgrade or downgrade by at most the reported number of releases.",
    why: "The policy limits how many releases an upgrade or downgrade can skip; behavior beyond this limit is undefined.",
    example: `steps:
- {action: upgrade, release: "1.35"}
- {action: upgrade, release: "1.36"}`,
  },
  STO055: {
    remedy: "Remove the field.",
  },
};
