import { findServer, nearestNames } from '../../internal.ts'

// Imported by name, and this file when it is needed: asked for as a whole, the entry would bring all of itself along.
export const findNamed = findServer
export const nearTo = nearestNames
