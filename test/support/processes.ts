/** Tests of `src/` import it from here. */
export { bundleScript, runScript } from './programs/processes.ts'
