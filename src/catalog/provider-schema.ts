import type { JsonObject } from '../model/json.ts'
import { isAcceptedKey, restoreKeys, toAcceptedKeys } from './schema/accepted-keys.ts'
import { toGemini } from './schema/gemini.ts'
import { isFit } from './schema/provider-fit.ts'
import { inlineRefs, SchemaError } from './schema/inline-refs.ts'
import { normalize } from './schema/normalize-schema.ts'
import { toStrict } from './schema/openai-strict.ts'
import { restoreAbsent } from './schema/restore-arguments.ts'
import { toTopObject, withItems } from './schema/rewrite-schema.ts'

export type Provider = 'openai' | 'openai-strict' | 'anthropic' | 'gemini'

export interface CompiledSchema {
  readonly schema: JsonObject
  /** What a model answered to that schema, as the tool's own schema wants it. */
  readonly toArguments: (answer: JsonObject) => JsonObject
}

/** One bad schema refuses a whole request: such a tool is left out alone, and the reason says why. */
export type Compilation = CompiledSchema | { readonly reason: string }

const known: Readonly<Record<Provider, WeakMap<JsonObject, Compilation>>> = {
  openai: new WeakMap(),
  'openai-strict': new WeakMap(),
  anthropic: new WeakMap(),
  gemini: new WeakMap(),
}

/** A tool's schema in the dialect of a provider. What that cannot say is left to the server, which checks in any case. */
export function compileSchema(inputSchema: JsonObject, provider: Provider): Compilation {
  const compiled = known[provider].get(inputSchema)
  if (compiled) return compiled
  const compilation = tryToCompile(inputSchema, provider)
  known[provider].set(inputSchema, compilation)
  return compilation
}

function tryToCompile(inputSchema: JsonObject, provider: Provider): Compilation {
  const isKey = quick[provider]
  const said = withoutDialect(inputSchema)
  if (isKey && isFit(said, isKey)) return { schema: said, toArguments: asTheyAre }
  try {
    return compilers[provider](normalize(inlineRefs(inputSchema)))
  } catch (error) {
    if (error instanceof SchemaError) return { reason: error.message }
    throw error
  }
}

/** Most schemas name the draft they are written in, and providers write in one of their own. */
function withoutDialect(schema: JsonObject): JsonObject {
  if (schema['$schema'] === undefined) return schema
  const { $schema: _, ...rest } = schema
  return rest
}

/** Where a schema may be fit as it came, and what an argument may be called. */
const quick: Readonly<Partial<Record<Provider, (name: string) => boolean>>> = {
  openai: () => true,
  anthropic: isAcceptedKey,
}

const compilers: Readonly<Record<Provider, (schema: JsonObject) => CompiledSchema>> = {
  openai: (schema) => ({ schema: withItems(toTopObject(schema)), toArguments: asTheyAre }),
  'openai-strict': (schema) => {
    const top = toTopObject(schema)
    return {
      schema: toStrict(top),
      // An object stays one.
      toArguments: (answer) => restoreAbsent(answer, [top]) as JsonObject,
    }
  },
  anthropic: (schema) => {
    const { schema: made, renamed } = toAcceptedKeys(schema)
    return {
      schema: made,
      toArguments: renamed.size > 0 ? (answer) => restoreKeys(answer, renamed) : asTheyAre,
    }
  },
  gemini: (schema) => ({ schema: toGemini(toTopObject(schema)), toArguments: asTheyAre }),
}

function asTheyAre(answer: JsonObject): JsonObject {
  return answer
}
