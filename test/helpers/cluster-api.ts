/** The files of cluster-api/ that a platform makes, without a directory around them. */
import { decode } from "../../src/core/files.js";
import type { Json } from "../../src/core/json.js";
import type { Problem } from "../../src/core/problem.js";
import { clusterApi } from "../../src/phases/cluster-api/index.js";
import type { PlatformInput, PlatformModule } from "../../src/platforms/platform.js";
import { createRenderer, platformFolders } from "../../src/text/render.js";
import { comparable } from "./upstream.js";

/** The objects by path, as they are compared with those of the installer. What is reported is thrown. */
export async function clusterApiFiles(
  platform: PlatformModule,
  { config, identity, facts, credentials, release }: PlatformInput,
): Promise<Map<string, Json>> {
  const report = ({ message }: Pick<Problem, "message">): never => {
    throw new Error(message);
  };
  const render = await createRenderer(platformFolders(["cluster-api"], platform.name), report);
  const files = clusterApi.run(
    {
      "install-config": {
        config,
        written: {},
        normalForm: "",
        position: () => ({ file: "", line: 0, column: 0 }),
      },
      identity,
      facts,
      credentials,
      platform,
    },
    { release, render, tool: "slipway", report },
  );
  return new Map(files.map(({ path, data }) => [path, comparable(path, decode(data) ?? "")]));
}
