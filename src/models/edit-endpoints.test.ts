import { expect, test } from 'vitest'
import { createPerson, pathOf } from '../../test/support/person.ts'
import { addEndpoint, removeEndpoint, useModel } from './edit-endpoints.ts'

const file = '~/.config/plugboard/settings.json'

function person(content?: unknown) {
  const { files, platform } = createPerson(content === undefined ? {} : { [file]: content })
  return { options: { platform }, text: () => files.texts.get(pathOf(file)) }
}

test('models add: an endpoint is written beside what is there, comments kept', async () => {
  const { options, text } = person('{\n  // mine\n  "sources": ["cursor"]\n}\n')
  const given = { kind: 'openai-compatible', url: 'http://127.0.0.1:9/v1', key: '${env:K}' } as const
  expect(await addEndpoint('corp', given, options)).toEqual({
    name: 'corp',
    changed: true,
    file: pathOf(file),
  })
  expect(text()).toContain('// mine')
  expect(JSON.parse(String(text()).replace('// mine', ''))).toEqual({
    sources: ['cursor'],
    endpoints: { corp: given },
  })
})

test('models add: an existing entry needs force, which changes only what is given', async () => {
  const entry = { kind: 'openai', url: 'https://a.example/v1', key: '${env:A}' }
  const { options, text } = person({ endpoints: { corp: entry } })
  await expect(addEndpoint('corp', { key: '${env:B}' }, options)).rejects.toMatchObject({
    code: 'config.exists',
    hint: 'Change it with --force, or choose another name.',
  })
  await addEndpoint('corp', { key: '${env:B}' }, { ...options, force: true })
  expect(JSON.parse(String(text()))).toEqual({ endpoints: { corp: { ...entry, key: '${env:B}' } } })
})

test('models add: the key of a built-in endpoint needs neither kind nor url', async () => {
  const { options, text } = person()
  await addEndpoint('openai', { key: '!op read op://x/y' }, options)
  expect(JSON.parse(String(text()))).toEqual({ endpoints: { openai: { key: '!op read op://x/y' } } })
})

test.each([
  ['a b', {}, '"a b" cannot be the name of an endpoint.'],
  ['x', { kind: 'openai', url: 'nowhere' }, 'The url of an endpoint must be an https or http address.'],
  ['x', {}, 'Say which API "x" speaks: --kind openai|openai-compatible|anthropic|google'],
  ['x', { kind: 'openai-compatible' }, 'Say where "x" is: --url URL'],
  ['openai', { key: 'sk-0123456789abcdef' }, '--key takes a reference to the key, not the key itself.'],
] as const)('models add %s %j is refused, and nothing is written', async (name, given, message) => {
  const { options, text } = person()
  await expect(addEndpoint(name, given, options)).rejects.toMatchObject({ code: 'usage', message })
  expect(text()).toBeUndefined()
})

test('models use and remove: the default goes with its endpoint', async () => {
  const corp = { kind: 'openai-compatible', url: 'http://127.0.0.1:9/v1' }
  const { options, text } = person({ endpoints: { corp } })
  expect(await useModel('corp/m', options)).toMatchObject({ model: 'corp/m', changed: true })
  expect(await useModel('corp/m', options)).toMatchObject({ changed: false })
  expect(JSON.parse(String(text()))).toMatchObject({ model: 'corp/m' })
  await expect(useModel('crop/m', options)).rejects.toMatchObject({ code: 'model.unknown' })
  await removeEndpoint('corp', options)
  const after = JSON.parse(String(text())) as { readonly endpoints?: object; readonly model?: string }
  expect([after.model, after.endpoints ?? {}]).toEqual([undefined, {}])
  await expect(removeEndpoint('corp', options)).rejects.toMatchObject({ code: 'model.unknown' })
  await expect(removeEndpoint('openai', options)).rejects.toMatchObject({ code: 'usage' })
})
