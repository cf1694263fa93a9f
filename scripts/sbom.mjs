// The bill of materials of what is shipped: CycloneDX, as JSON. It names no time and no machine, so that two builds are equal.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";

/** The name of the file, beside what it is about. */
export const SBOM = "sbom.cdx.json";

const root = join(import.meta.dirname, "..");
const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const { packages } = read("package-lock.json");

/** The licences are identifiers or expressions of SPDX, which test/dependencies.test.ts checks. */
const licenses = new Contrib.License.Factories.LicenseFactory(() => undefined);

/** The folders of the libraries in a bundle. @param inputs paths of the files that it is made of */
export const librariesOf = (inputs) =>
  [
    ...new Set(inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean)),
  ].sort();

/** What npm installs along with the package, by folder. */
export const installedAlong = () =>
  Object.entries(packages)
    .filter(([path, { dev, optional, peer }]) => path !== "" && !dev && !optional && !peer)
    .map(([path]) => path);

/** The folders of the libraries in a bill of materials. */
export function foldersIn(file) {
  const { components } = JSON.parse(readFileSync(file, "utf8"));
  const purls = new Set(components.map(({ purl }) => purl));
  return Object.entries(packages).flatMap(([folder, { version }]) =>
    purls.has(purlOf(folder.replace(/^.*node_modules\//, ""), version)) ? [folder] : [],
  );
}

const purlOf = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

function componentOf(type, { name, version, license, description }) {
  const [, group, own = name] = /^(@[^/]+)\/(.*)$/.exec(name) ?? [];
  const purl = purlOf(name, version);
  return new Models.Component(type, own, {
    group,
    version,
    description,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([licenses.makeFromString(license)]),
  });
}

function libraryOf(folder) {
  const component = componentOf(Enums.ComponentType.Library, read(`${folder}/package.json`));
  // The digest of the package's archive, by which npm checks what it installs.
  const [, digest] = /^sha512-(.+)$/.exec(packages[folder]?.integrity ?? "") ?? [];
  if (digest !== undefined)
    component.hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(digest, "base64").toString("hex"));
  return component;
}

/** Node, which is the larger part of the executable. */
function nodeOf(version) {
  const purl = `pkg:generic/nodejs@${version}`;
  return new Models.Component(Enums.ComponentType.Platform, "node", {
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([licenses.makeFromString("MIT")]),
  });
}

/**
 * @param folders of the libraries, such as node_modules/ajv
 * @param node the version of Node that is shipped along
 */
export function sbomOf(folders, node) {
  const own = read("package.json");
  const main = componentOf(Enums.ComponentType.Application, own);
  const parts = [...new Set(folders)].sort().map(libraryOf);
  if (node !== undefined) parts.push(nodeOf(node));
  for (const { bomRef } of parts) main.dependencies.add(bomRef);
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: main }),
    components: new Models.ComponentRepository(parts),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}
