import * as fs from 'node:fs'
import { register } from 'node:module'

// The suite imports `fs.globSync`, which Node 20 does not have and no client scenario calls.
if (!('globSync' in fs)) register('./glob-shim-hooks.mjs', import.meta.url)
