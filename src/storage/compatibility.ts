/** All that the storage domain takes from compatibility: releases, API lifecycles, and reading documents with places. */
export {
  type ApiKind,
  type ApiTable,
  groupResource,
  groupVersion,
  kindsInBinary,
  stabilityOf,
} from "../compatibility/api-table.js";
export { effectiveKube } from "../compatibility/effective.js";
export { apiTableOf, readApiTable } from "../compatibility/read/api-table.js";
export { type Document, ownFields, ownKind, readDocument } from "../compatibility/read/document.js";
export {
  Fields,
  placeIn,
  type Source,
} from "../compatibility/read/fields.js";

export { SHIPPED } from "../compatibility/rules.js";
export { type StoragePins, type StorageVersion, storageVersions } from "../compatibility/storage-versions.js";
export {
  addMinors,
  compareMinors,
  formatMinor,
  type Minor,
  maxMinor,
  minMinor,
  minorsBetween,
  ofMinor,
  parseMinor,
} from "../compatibility/version.js";
