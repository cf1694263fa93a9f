/** The asset directory as the pipeline sees it. */
export * from "./types.js";
