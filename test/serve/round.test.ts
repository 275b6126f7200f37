import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { smokeTest } from '../../scripts/smoke.mjs'

const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as OpenApi // generated

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: object
}

interface Operation {
  readonly responses: {
    readonly 200: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  }
}

test('serve --demo answers every route that it can, and each answer fits the published OpenAPI document', async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema({ $id: 'api', components: document.components })
  const known = new Map<string, ValidateFunction>()
  const wrong = new Set<string>()
  const code = await smokeTest({
    onAnswer(key, answer) {
      const validate = known.get(key) ?? ajv.compile(schemaOf(key))
      known.set(key, validate)
      if (!validate(answer)) wrong.add(`${key}: ${ajv.errorsText(validate.errors)}`)
    },
  })
  expect({ code, wrong: [...wrong] }).toEqual({ code: 0, wrong: [] })
})

function schemaOf(key: string): object {
  const [method = '', path = ''] = key.split(' ')
  const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
  const schema = operation?.responses[200].content['application/json']?.schema
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as object // the same schema
}
