import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { described, flag, list, number, object, oneOf, text, whole } from '../../api/schema-builder.ts'
import type { Fields } from '../../api/schema-builder.ts'
import { diagnostics } from './schema-parts.ts'

const priceFields: Fields = { input: number, output: number, 'cachedInput?': number, 'cacheWrite?': number }
const price = described(
  'US dollars for a million tokens.',
  object({ ...priceFields, 'long?': object({ ...priceFields, above: whole }) }),
)
const endpointEdit = (action: string): JsonDocument =>
  document({ name: text, action: { const: action }, changed: flag, file: text })

/** The JSON of the commands about endpoints and models. */
export const modelDocuments: Readonly<Record<string, JsonDocument>> = {
  'models list': document({
    'default?': described('The model of `PLUGBOARD_MODEL` or of your settings.', text),
    endpoints: list(
      object({
        name: text,
        title: text,
        kind: oneOf('openai', 'openai-compatible', 'anthropic', 'google'),
        url: text,
        isBuiltIn: flag,
        'key?': described('Where its key comes from.', text),
        'keyVariables?': described('With the state `no-key`: the variables that are looked for.', list(text)),
        state: oneOf('ready', 'no-key', 'refused', 'unreachable'),
        'problem?': object({ message: text, 'hint?': text }),
        models: list(
          object({
            ref: described('For `--model`.', text),
            id: text,
            'title?': text,
            'window?': whole,
            'maxOutput?': whole,
            'price?': price,
          }),
        ),
      }),
    ),
    file: described('Your settings.', text),
    'diagnostics?': diagnostics,
  }),
  'models add': endpointEdit('added'),
  'models use': document({ model: text, changed: flag, file: text }),
  'models remove': endpointEdit('removed'),
  'models test': document({
    model: text,
    callsTools: flag,
    reportsUsage: flag,
    'inputTokens?': whole,
    'outputTokens?': whole,
    text: described('What it said instead of calling the tool, or besides.', text),
    ms: whole,
  }),
}
