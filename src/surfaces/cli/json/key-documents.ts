import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { described, either, flag, list, object, oneOf, text, texts, whole } from '../../api/schema-builder.ts'
import type { Fields } from '../../api/schema-builder.ts'

const explainedCaller: Fields = {
  name: text,
  expired: flag,
  addresses: list(
    object({
      address: described('`/mcp` or `/mcp/NAME`.', text),
      offered: flag,
      'name?': described('Its name there; absent if it is found by search only.', text),
      reason: text,
    }),
  ),
}

/** What `why TOOL --key` adds. */
export const explainedKey = described(
  'With `--key`: where the caller with this key finds it at the gateway.',
  object(explainedCaller),
)

/** What `why TOOL --claims` adds. */
export const explainedClaims = described(
  'With `--claims`: where a caller whose token has these claims finds it at the gateway.',
  object({ issuer: text, ...explainedCaller }),
)

/** What `why TOOL --from` adds. */
export const explainedConfig = described(
  'With `--from`: the configuration that was explained.',
  either(
    object({ kind: oneOf('store'), version: whole, publishedAt: text }),
    object({ kind: oneOf('file'), file: text }),
  ),
)

const gatewayKey: Fields = {
  name: text,
  id: described('The part of the key by which it is found; no secret.', text),
  'views?': described('The views that it opens; absent for everything.', texts),
  createdAt: text,
  'expiresAt?': text,
  expired: flag,
  'previousUntil?': described('Until then the key before the last rotation is valid too.', text),
}
const newKey = document({
  key: object(gatewayKey),
  secret: described('The key itself, shown this once.', text),
})

/** The JSON of the commands about callers of the gateway. */
export const keyDocuments: Readonly<Record<string, JsonDocument>> = {
  'keys list': document({ keys: list(object(gatewayKey)) }),
  'keys add': newKey,
  'keys rotate': newKey,
  'keys remove': document({ removed: text }),
}
