export { placeholders as infrastructure } from "../user-supplied.js";
