/** Tests of `src/` import it from here. */
export { createMachine } from './programs/cli.ts'
