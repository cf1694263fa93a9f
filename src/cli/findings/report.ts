/** The report of a run in the form that `--output` names. */
import packageJson from "../../../package.json" with { type: "json" };
import type { ReportForm } from "../flags.js";
import { meaningOf } from "./finding.js";
import type { RunReport } from "./run.js";

export async function reportText(form: ReportForm, run: Omit<RunReport, "version">): Promise<string> {
  const whole = { ...run, version: packageJson.version };
  switch (form) {
    case "sarif": {
      const [{ sarif }, { explainCode, findCode }] = await Promise.all([
        import("./sarif.js"),
        import("../../explain/codes/diagnostic.js"),
      ]);
      return sarif(whole, (rule) => {
        const code = findCode(rule);
        if (code !== undefined) return explainCode(code);
        const meaning = meaningOf(rule);
        return meaning === undefined ? undefined : { meaning };
      });
    }
    case "github":
      return (await import("./github.js")).githubAnnotations(whole);
    case "junit":
      return (await import("./junit.js")).junit(whole);
  }
}
