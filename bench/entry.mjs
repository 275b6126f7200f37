import { pathToFileURL } from 'node:url'

// The public API of the built package; BENCH_ENTRY names another build to compare with.
const entry = process.env.BENCH_ENTRY
export const { createHost } = await import(entry ? pathToFileURL(entry).href : '../dist/index.js')
