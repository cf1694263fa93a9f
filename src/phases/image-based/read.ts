/**
 * The two configs of the image-based installer (openshift/installer pkg/asset/imagebased/configimage/imagebased_config.go and
 * pkg/asset/imagebased/image/imagebased_config.go, `Load`).
 */
import type { Problem } from "../../core/diagnostics.js";
import nodeForm from "../../generated/forms/image-based-config.js";
import installationForm from "../../generated/forms/image-based-installation-config.js";
import type { ImageBasedConfig } from "../../generated/types/image-based-config.js";
import type { ImageBasedInstallationConfig } from "../../generated/types/image-based-installation-config.js";
import {
  conformsTo,
  type InputKind,
  type ReadInput,
  type ReadInputOptions,
  readInput,
} from "../read-input.js";

const NODE: InputKind<ImageBasedConfig> = {
  form: nodeForm,
  document: "image-based-config",
  is: (value): value is ImageBasedConfig => conformsTo(value, nodeForm),
  code: "IBI001",
  expected: "expected an image-based-config: a mapping with kind: ImageBasedConfig",
  hint: "to create one with comments, run: slipway create image-based-config",
};

const INSTALLATION: InputKind<ImageBasedInstallationConfig> = {
  form: installationForm,
  document: "image-based-installation-config",
  is: (value): value is ImageBasedInstallationConfig => conformsTo(value, installationForm),
  code: "IBI001",
  expected: "expected an image-based-installation-config: a mapping with kind: ImageBasedInstallationConfig",
  hint: "to create one with comments, run: slipway create image-based-installation-config",
};

/** Undefined when there is nothing to go on with; everything that is wrong is reported. */
export const readImageBasedConfig = (
  text: string,
  file: string,
  options: ReadInputOptions,
  report: (problem: Problem) => void,
): ReadInput<ImageBasedConfig> | undefined => readInput(text, file, NODE, options, report);

/** Undefined when there is nothing to go on with; everything that is wrong is reported. */
export const readInstallationConfig = (
  text: string,
  file: string,
  options: ReadInputOptions,
  report: (problem: Problem) => void,
): ReadInput<ImageBasedInstallationConfig> | undefined =>
  readInput(text, file, INSTALLATION, options, report);
