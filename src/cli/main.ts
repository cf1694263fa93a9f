/** The entry of the package: everything else lies beside it. */
import { start } from "./start.js";

start(async () => {
  const { inFolder, loadFile } = await import("./code-cache.js");
  return loadFile("frame.js", inFolder(__dirname));
});
