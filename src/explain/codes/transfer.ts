/** Claim transfers: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const TRANSFER: Remedies<"TRF"> = {
  TRF001: {
    remedy: "Specify the files of the transfer, or their folder.",
  },
  TRF002: {
    remedy: "Add or correct the field.",
  },
  TRF003: {
    remedy: "Remove the field or correct its spelling.",
    why: "The API server would drop or reject the field, and the transfer would ignore it.",
    example: `spec:
  source: {kind: PersistentVolumeClaim, name: db}`,
  },
  TRF004: {
    remedy: "Use transfer.slipway.dev/v1alpha1, or the group that your CRDs were generated for.",
  },
  TRF005: {
    remedy: "Keep one of them.",
  },
  TRF006: {
    remedy: "Set kind: PersistentVolumeClaim.",
  },
  TRF010: {
    remedy: "Create the missing object, or correct the field that the message shows.",
    why: "A transfer needs a request in the target namespace and an approval in the source namespace that refer to each other.",
    example: "slipway transfer approve request.yaml --out git",
  },
  TRF011: {
    remedy: "Remove one of them; a claim can be moved once.",
  },
  TRF012: {
    remedy: "Set another targetName in one of them.",
  },
  TRF013: {
    remedy: "Use another target namespace or name.",
  },
  TRF014: {
    remedy: "Use --allow-cycles if this is intended.",
    why: "Such a plan deletes both sources before it creates the target, so if the plan is interrupted, neither claim exists.",
    example: "slipway transfer plan git --state dump.yaml --out plan --allow-cycles",
  },
  TRF015: {
    remedy: "Use --allow-cycles if this is intended.",
    why: "In a cycle every target is the source of another transfer, so all sources must be deleted before the first target is created.",
    example: "slipway transfer plan git --state dump.yaml --out plan --allow-cycles",
  },
  TRF016: {
    remedy: "Approve again with --state DUMP, so that the claim's UID and volume are recorded.",
    why: "Without pins, the request or the claim could be replaced under the same name after the approval.",
    example: "slipway transfer approve request.yaml --state dump.yaml --expires 7d --out git",
  },
  TRF017: {
    remedy: "Use one group in both.",
  },
  TRF020: {
    remedy: "Have the source side approve again.",
  },
  TRF021: {
    remedy: "Review the request, then approve it again.",
  },
  TRF022: {
    remedy: "Check the claim, then approve again.",
  },
  TRF023: {
    remedy: "Check the claim, then approve again.",
  },
  TRF024: {
    remedy: "Remove both objects; create a new pair for a new transfer.",
    why: "A pair is executed once, so that old objects in Git cannot move a claim again.",
    example: "git rm target/stage/request-db.yaml source/prod/approval-db.yaml",
  },
  TRF025: {
    remedy: "Approve again with --state DUMP.",
  },
  TRF026: {
    remedy: "Apply or revert the change so that Git and cluster agree.",
  },
  TRF030: {
    remedy: "Take the dump again with the objects that the message lists.",
  },
  TRF031: {
    remedy: "Resolve the reported state first; resume a transfer that is in progress.",
    why: "Moving a claim that is being deleted, or a volume that belongs to another claim, can lose data.",
    example: "slipway transfer resume --plan plan/plan.json --state later.yaml",
  },
  TRF032: {
    remedy: "Wait until it is bound; a claim without a volume has no data to move.",
  },
  TRF033: {
    remedy: "Stop the workload when the plan asks for it.",
    why: "Deleting a claim in use leaves it Terminating until its pods have ended; the plan waits at that step.",
    example: "kubectl scale deployment db --namespace prod --replicas 0",
  },
  TRF034: {
    remedy: "Wait until it has completed, then take a new dump.",
    why: "The volume is being copied. Moving its claim now could leave the copy incomplete.",
    example: "kubectl get volumesnapshots --namespace prod",
  },
  TRF035: {
    remedy: "Have its owner release the claim, or use --waive-finalizer NAME.",
    why: "A finalizer means that a controller must do something before the claim is deleted.",
    example: "slipway transfer plan git --state dump.yaml --out plan --waive-finalizer example.com/protect",
  },
  TRF036: {
    remedy: "Scale down or pause the controller when the plan asks for it.",
    why: "An empty claim with the old name would take the place of the moved one.",
    example: "kubectl scale statefulset db --namespace prod --replicas 0",
  },
  TRF037: {
    remedy:
      "Set persistentVolumeClaimRetentionPolicy to Retain, or remove the owner reference, when the plan asks for it.",
    why: "Scaling down or deleting the owner would delete the claim before the plan does.",
    example: "persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}",
  },
  TRF038: {
    remedy: "Create the transfers with --statefulset to include all claims.",
  },
  TRF039: {
    remedy: "Raise the quota by the reported amount, or change the limit range.",
    why: "The API server rejects the new claim, and the application stays down until the quota is raised.",
    example: "kubectl describe resourcequota --namespace stage",
  },
  TRF040: {
    remedy: "Raise the quota to avoid the longer downtime.",
    why: "While source and target exist together, both count. The plan deletes the source first, which is safe for the data.",
    example: "kubectl describe resourcequota --namespace stage",
  },
  TRF041: {
    remedy:
      "Set fsGroup and seLinuxOptions of the pods to the old values, or change the owner of the files once.",
    why: "Files keep the numeric owner and label of the old namespace and may be unreadable to pods of the new one.",
    example: "kubectl get namespace prod stage -o yaml | grep openshift.io/sa.scc",
  },
  TRF042: {
    remedy: "Change the namespace's node selector, or do not move the claim.",
    why: "The volume is limited to some nodes, and the pods of the target namespace are limited to others.",
    example: "kubectl get persistentvolume pv-1 -o jsonpath='{.spec.nodeAffinity}'",
  },
  TRF043: {
    remedy: "Create the Secret in the target namespace too.",
    why: "The CSI driver reads the Secret in order to mount the volume, and may look for it in the namespace of the claim.",
    example: "kubectl get persistentvolume pv-1 -o yaml | grep -A2 SecretRef",
  },
  TRF044: {
    remedy: "Wait until it has completed, then take a new dump.",
    why: "If a claim is replaced during a resize, its size can differ from the size of its volume.",
    example: "kubectl get persistentvolumeclaim db --namespace prod -o yaml",
  },
  TRF045: {
    remedy: "Set the policy to Retain or Delete permanently.",
    why: "With Recycle, the data is erased as soon as the claim is deleted.",
    example:
      'kubectl patch persistentvolume pv-1 --patch \'{"spec": {"persistentVolumeReclaimPolicy": "Retain"}}\'',
  },
  TRF046: {
    remedy:
      "Set the unused volume to Retain, then remove it; with Delete, removing it destroys the data of the other.",
    why: "The storage system has one copy of the data. Deleting it through either volume deletes it for both.",
    example:
      "kubectl get persistentvolumes -o custom-columns=NAME:.metadata.name,HANDLE:.spec.csi.volumeHandle",
  },
  TRF047: {
    remedy: "Stop the workload; the plan waits until the volume is detached.",
  },
  TRF048: {
    remedy: "Restore them in the old namespace if they are needed.",
  },
  TRF049: {
    remedy: "Choose another targetName.",
    why: "slipway never replaces a claim that it did not create, because it may contain data.",
    example: "slipway transfer new --source prod/db --target stage/db-2 --out git",
  },
  TRF050: {
    remedy: "Create the namespace, or wait until its deletion has completed and create it again.",
    why: "Claims cannot be created in a namespace that does not exist or is terminating.",
    example: "kubectl create namespace stage",
  },
  TRF051: {
    remedy: "Resolve the difference before the transfer.",
    why: "Access modes, volume mode and storage class must match, or the new claim does not bind to the volume.",
    example: "kubectl get persistentvolume pv-1 -o yaml",
  },
  TRF052: {
    remedy: "Add these objects to the dump if the cluster has any.",
  },
  TRF053: {
    remedy: "Remove the claim from Git with pruning off, or pause the tool, before the source is deleted.",
    why: "The tool would create an empty claim in its place.",
    example: "argocd app set my-app --sync-policy none",
  },
  TRF054: {
    remedy: "Complete it with slipway transfer resume, or revert it with slipway transfer rollback.",
    why: "Two plans that move the same volume would undo each other's steps.",
    example: "slipway transfer resume --plan plan/plan.json --state later.yaml",
  },
  TRF055: {
    remedy: "Wait until it is bound, then transfer it.",
  },
  TRF056: {
    remedy: "Choose another folder; a plan that was started needs its plan.json.",
  },
  TRF057: {
    remedy: "Take the dump again with kubectl get … --output yaml.",
  },
  TRF058: {
    remedy: "Stop the workload when the plan asks for it; it will not find the claim afterwards.",
  },
  TRF060: {
    remedy: "Use the unchanged plan.json of slipway transfer plan.",
  },
  TRF061: {
    remedy: "Resolve the reported state, then take a new dump and run the command again.",
  },
  TRF062: {
    remedy: "Create a transfer in the other direction.",
    why: "Once the target claim is bound, it owns the volume. To move the volume back, create another transfer.",
    example: "slipway transfer new --source stage/db --target prod/db --out git",
  },
  TRF063: {
    remedy: "Check the objects that the message lists.",
  },
  TRF070: {
    remedy: "Restore the claim, or move the remaining claims one by one.",
    why: "The new StatefulSet would create the missing claim again, empty.",
    example: "slipway transfer new --source prod/data-db-0 --target stage/data-db-0 --out git",
  },
  TRF071: {
    remedy: "Use NAMESPACE/NAME with valid DNS names.",
  },
  TRF072: {
    remedy: "Move or rename the file, or choose another folder with --out.",
  },
};
