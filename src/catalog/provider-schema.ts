import type { JsonObject } from '../model/json.ts'
import { isAcceptedKey, restoreKeys, toAcceptedKeys } from './schema/accepted-keys.ts'
import { toGemini } from './schema/gemini.ts'
import { isAcceptedAsIs } from './schema/provider-fit.ts'
import { inlineRefs, SchemaError } from './schema/inline-refs.ts'
import { normalizeSchema } from './schema/normalize-schema.ts'
import { toStrict } from './schema/openai-strict.ts'
import { removeAddedNulls } from './schema/restore-arguments.ts'
import { toTopObject, withItems } from './schema/rewrite-schema.ts'

export type Provider = 'openai' | 'openai-strict' | 'anthropic' | 'gemini'

export interface CompiledSchema {
  readonly schema: JsonObject
  /** Converts the arguments that a model wrote for `schema` into arguments for the tool's own schema. */
  readonly toArguments: (answer: JsonObject) => JsonObject
}

/**
 * Either a schema or the reason why there is none. A provider rejects the whole request for one bad schema, so that
 * tool is left out.
 */
export type Compilation = CompiledSchema | { readonly reason: string }

const compilations: Readonly<Record<Provider, WeakMap<JsonObject, Compilation>>> = {
  openai: new WeakMap(),
  'openai-strict': new WeakMap(),
  anthropic: new WeakMap(),
  gemini: new WeakMap(),
}

/**
 * Converts a tool's schema to the dialect of a provider. Constraints that the dialect lacks are left to the server's
 * own check.
 */
export function compileSchema(inputSchema: JsonObject, provider: Provider): Compilation {
  const compiled = compilations[provider].get(inputSchema)
  if (compiled) return compiled
  const compilation = compileUncached(inputSchema, provider)
  compilations[provider].set(inputSchema, compilation)
  return compilation
}

function compileUncached(inputSchema: JsonObject, provider: Provider): Compilation {
  const isKey = keyChecks[provider]
  const plain = withoutDialect(inputSchema)
  if (isKey && isAcceptedAsIs(plain, isKey)) return { schema: plain, toArguments: keepArguments }
  try {
    return compilers[provider](normalizeSchema(inlineRefs(inputSchema)))
  } catch (error) {
    if (error instanceof SchemaError) return { reason: error.message }
    throw error
  }
}

/** Removes `$schema`: providers have dialects of their own. */
function withoutDialect(schema: JsonObject): JsonObject {
  if (schema['$schema'] === undefined) return schema
  const { $schema: _, ...rest } = schema
  return rest
}

/** The providers that may accept a schema unchanged, each with its check of argument names. */
const keyChecks: Readonly<Partial<Record<Provider, (name: string) => boolean>>> = {
  openai: () => true,
  anthropic: isAcceptedKey,
}

const compilers: Readonly<Record<Provider, (schema: JsonObject) => CompiledSchema>> = {
  openai: (schema) => ({ schema: withItems(toTopObject(schema)), toArguments: keepArguments }),
  'openai-strict': (schema) => {
    const top = toTopObject(schema)
    return {
      schema: toStrict(top),
      // An object stays an object.
      toArguments: (answer) => removeAddedNulls(answer, [top]) as JsonObject,
    }
  },
  anthropic: (schema) => {
    const { schema: made, renamed } = toAcceptedKeys(schema)
    return {
      schema: made,
      toArguments: renamed.size > 0 ? (answer) => restoreKeys(answer, renamed) : keepArguments,
    }
  },
  gemini: (schema) => ({ schema: toGemini(toTopObject(schema)), toArguments: keepArguments }),
}

function keepArguments(answer: JsonObject): JsonObject {
  return answer
}
