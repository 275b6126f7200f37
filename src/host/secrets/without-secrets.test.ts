import { expect, test } from 'vitest'
import type { CachedCatalog } from '../../catalog/server-cache.ts'
import { Catalog } from '../../catalog/catalog.ts'
import { hashDefinition } from '../../model/definition/canonical-definition.ts'
import type { Snapshot } from '../../catalog/catalog.ts'
import { Redactor } from '../../model/secrets/redactor.ts'
import { withoutSecrets } from './without-secrets.ts'

const secret = 'hunter2-hunter2'
const redactor = new Redactor()
redactor.register(secret)

function known(snapshot: Partial<Snapshot>): CachedCatalog {
  const none = { tools: [], resources: [], resourceTemplates: [], prompts: [] }
  return { snapshot: { ...none, at: '2026-01-01T00:00:00.000Z', ...snapshot }, ttlMs: 5 }
}

const hashesOf = ({ snapshot }: CachedCatalog) =>
  Object.fromEntries(snapshot.tools.map((tool) => [tool.name, hashDefinition(tool)]))

/** A full snapshot with `text` in all its texts, and the secret in all names. */
const saying = (text: string) =>
  known({
    tools: [
      {
        name: `get_${secret}`,
        title: text,
        description: `Asks ${text}.`,
        inputSchema: {
          type: 'object',
          description: text,
          properties: {
            [secret]: { type: 'string', enum: [secret, 'other'], default: text, examples: [{ enum: text }] },
            enum: { $ref: `#/$defs/${secret}`, title: text },
            list: {
              items: { const: secret, description: text },
              anyOf: [{ pattern: secret }, { title: text }],
            },
          },
          required: [secret],
          dependencies: { [secret]: [secret] },
          $defs: { [secret]: { $comment: text } },
        },
        outputSchema: { type: 'object', properties: { a: { description: text } } },
        annotations: { title: text, readOnlyHint: true },
        _meta: { about: [text] },
      },
    ],
    resources: [{ uri: `db://${secret}/a`, name: text, description: text }],
    resourceTemplates: [{ uriTemplate: `db://${secret}/{a}`, title: text }],
    prompts: [{ name: secret, description: text, arguments: [{ name: secret, description: text }] }],
    instructions: text,
    isPlain: true,
  })

test('withoutSecrets: masks a known secret in all texts, and in no name (T35)', () => {
  const { snapshot, ...rest } = saying('•••')
  const hashes = hashesOf(saying(secret))
  expect(withoutSecrets(saying(secret), redactor)).toEqual({ ...rest, snapshot: { ...snapshot, hashes } })
})

test('withoutSecrets: keeps the hash of the definition as sent, so that approvals stay valid', () => {
  const offered = ({ snapshot }: CachedCatalog) => {
    const catalog = new Catalog()
    catalog.replace({ name: 's', tools: { allow: null, deny: [] } }, snapshot)
    return catalog.tools().map(({ description, hash }) => ({ description, hash }))
  }
  const [masked, again] = [withoutSecrets(saying(secret), redactor), new Redactor()]
  again.register('hunter2-hunter2')
  again.register('Asks •••')
  expect(offered(masked)).toEqual([{ description: 'Asks •••.', hash: offered(saying(secret))[0]?.hash }])
  expect(offered(withoutSecrets(masked, again)).map(({ hash }) => hash)).toEqual(
    offered(saying(secret)).map(({ hash }) => hash),
  )
})

test('withoutSecrets: masks a secret that hidden characters split (T17 T35)', () => {
  const description = 'Asks hunter2\u200B-hun\u202Eter2.'
  const tool = { name: 'a', inputSchema: { type: 'object' } }
  expect(withoutSecrets(known({ tools: [{ ...tool, description }] }), redactor)).toEqual(
    known({
      tools: [{ ...tool, description: 'Asks •••.' }],
      hashes: hashesOf(known({ tools: [{ ...tool, description }] })),
    }),
  )
})

test('withoutSecrets: returns the same object if there is no secret', () => {
  const clean = known({ instructions: 'Be kind.', isPlain: true })
  const hiding = known({ instructions: 'Be\u200B kind. \u{1F600}' })
  expect(withoutSecrets(saying(secret), new Redactor())).toEqual(saying(secret))
  expect(withoutSecrets(clean, redactor)).toBe(clean)
  expect(withoutSecrets(hiding, redactor)).toEqual(hiding)
})
