/** Tests of `src/` import it from here. */
export { renderScreen } from './programs/screen.ts'
