import { pathToFileURL } from 'node:url'

// The public API of the built package, or of another build that BENCH_ENTRY names, for comparison.
const entry = process.env.BENCH_ENTRY
  ? pathToFileURL(process.env.BENCH_ENTRY).href
  : new URL('../dist/index.js', import.meta.url).href
export const { createHost } = await import(entry)
export const importPart = (name) => import(new URL(`chunks/${name}.js`, entry).href)
export const importAdapter = (name) => import(new URL(`adapters/${name}.js`, entry).href)
export const importEntry = (name) => import(new URL(`${name}.js`, entry).href)
