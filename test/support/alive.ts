/** Tests of `src/` import it from here. */
export { isRunning, untilGone } from './programs/alive.ts'
