import { describe, expect, test } from 'vitest'
import { createPerson } from '../../test/support/person.ts'
import { readSettings } from '../config/settings.ts'
import { readEndpoints } from './endpoints.ts'
import { keyReference, keySource } from './endpoint-key.ts'
import { chooseModel } from './model-choice.ts'

const settings = '~/.config/plugboard/settings.json'
const person = (content: unknown, env: Record<string, string> = {}) =>
  createPerson({ [settings]: content }, { env }).platform

describe('endpoints', () => {
  test('the built-in ones need no settings', async () => {
    const { endpoints } = await readEndpoints(createPerson({}).platform)
    expect(endpoints.map(({ name, kind, url }) => `${name} ${kind} ${url}`)).toEqual([
      'openai openai https://api.openai.com/v1',
      'anthropic anthropic https://api.anthropic.com/v1',
      'google google https://generativelanguage.googleapis.com/v1beta',
      'ollama openai-compatible http://127.0.0.1:11434/v1',
      'lmstudio openai-compatible http://127.0.0.1:1234/v1',
      'llamacpp openai-compatible http://127.0.0.1:8080/v1',
      'vllm openai-compatible http://127.0.0.1:8000/v1',
    ])
  })

  test('T64 a project declares neither endpoints nor a model', async () => {
    const { platform } = createPerson({
      '.plugboard/settings.json': {
        model: 'evil/m',
        endpoints: { evil: { kind: 'openai', url: 'https://evil.example/v1', key: '${env:OPENAI_API_KEY}' } },
      },
    })
    const { endpoints, model } = await readEndpoints(platform)
    expect(endpoints.map(({ name }) => name)).not.toContain('evil')
    expect(model).toBeUndefined()
  })

  test('T64 another address of a built-in endpoint does not get its key', async () => {
    const env = { OPENAI_API_KEY: 'sk-1', MINE: 'k' }
    const keyOf = async (entry: unknown) => {
      const platform = person({ endpoints: { openai: entry } }, env)
      const { endpoints } = await readEndpoints(platform)
      return keyReference(endpoints[0]!, platform)
    }
    expect(await keyOf({ api: 'chat' })).toBe('${env:OPENAI_API_KEY}')
    expect(await keyOf({ url: 'https://other.example/v1' })).toBeUndefined()
    expect(await keyOf({ url: 'https://other.example/v1', key: '${env:MINE}' })).toBe('${env:MINE}')
  })

  test('the words about where a key comes from contain no part of it', async () => {
    const sources = ['${env:A}', '${A}', '{env:A}', '${keychain:s/a}', '!op read x', 'sk-literal-0123456789']
    const words = sources.map(async (key) => {
      const platform = person({ endpoints: { x: { kind: 'openai', key } } })
      const { endpoints } = await readEndpoints(platform)
      return keySource(endpoints[0]!, platform)
    })
    expect(await Promise.all(words)).toEqual([
      'A',
      'A',
      'A',
      'your keychain',
      'a command of your settings',
      'your settings',
    ])
  })
})

describe('the settings of endpoints: each mistake has its place, and the rest is used', () => {
  const read = async (endpoints: unknown) => {
    const found = await readSettings(person({ endpoints }))
    return {
      names: Object.keys(found.settings.endpoints ?? {}),
      problems: found.diagnostics.map(
        ({ code, severity, message, origin }) =>
          `${origin?.line} ${origin?.pointer} ${severity} ${code}: ${message.replace('Settings: ', '')}`,
      ),
    }
  }

  test.each([
    [[], ['2 /endpoints error settings-invalid: "endpoints" must be an object; it is ignored.']],
    [
      { 'a/b': { kind: 'openai' } },
      [
        '3 /endpoints/a~1b error settings-invalid: "a/b" cannot be the name of an endpoint: use letters, digits, ".", "_" and "-".',
      ],
    ],
    [{ x: 5 }, ['3 /endpoints/x error settings-invalid: The endpoint "x" must be an object; it is ignored.']],
    [
      { x: { kind: 'grpc' } },
      [
        '4 /endpoints/x/kind error settings-invalid: "kind" of the endpoint "x" must be one of openai, openai-compatible, anthropic, google; the endpoint is ignored.',
      ],
    ],
    [
      { x: { url: 'https://x.example' } },
      [
        '3 /endpoints/x error settings-invalid: The endpoint "x" needs a "kind": openai, openai-compatible, anthropic, google; it is ignored.',
      ],
    ],
    [
      { x: { kind: 'openai-compatible' } },
      ['3 /endpoints/x error settings-invalid: The endpoint "x" needs a "url"; it is ignored.'],
    ],
    [
      { x: { kind: 'openai', url: 'ftp://x' } },
      [
        '5 /endpoints/x/url error settings-invalid: "url" of the endpoint "x" must be an https or http address; the endpoint is ignored.',
      ],
    ],
    [
      { x: { kind: 'openai', url: 'https://me:pw@x.example' } },
      [
        '5 /endpoints/x/url error settings-invalid: "url" of the endpoint "x" must not contain a user name or password; the endpoint is ignored.',
      ],
    ],
  ])('%j', async (endpoints, problems) => {
    expect(await read(endpoints)).toEqual({ names: [], problems })
  })

  test.each([
    [{ key: 'sk-abc' }, 'warn plaintext-secret: The endpoint "x" holds a literal key.'],
    [
      { url: 'http://models.example/v1' },
      'warn insecure-url: Plain http: anyone on the network path can read the key and the conversation.',
    ],
    [
      { api: 'grpc' },
      'error settings-invalid: "api" of the endpoint "x" must be "responses" or "chat"; it is ignored.',
    ],
    [
      { headers: { a: 1 } },
      'error settings-invalid: "headers" of the endpoint "x" must be an object of texts; it is ignored.',
    ],
    [
      { models: { m: { window: -1 } } },
      'error settings-invalid: "models" of the endpoint "x" names "m"; its entry has "window", which may have only "window" and "maxOutput", whole numbers.',
    ],
    [
      { colour: 1 },
      'error settings-invalid: "colour" of the endpoint "x" is not a key of an endpoint; it is ignored.',
    ],
  ])('%j is used with a remark', async (entry, problem) => {
    const { names, problems } = await read({ x: { kind: 'openai', ...entry } })
    expect(names).toEqual(['x'])
    expect(problems.map((each) => each.replace(/^\d+ \S+ /, ''))).toEqual([problem])
  })
})

describe('the model that counts', () => {
  const chosen = async (given: string | undefined, content: unknown, env = {}) => {
    const { ref, endpoint, id } = await chooseModel(given, person(content, env))
    return [ref, endpoint.name, id]
  }

  test('--model, then PLUGBOARD_MODEL, then the settings', async () => {
    const content = { model: 'ollama/a' }
    const env = { PLUGBOARD_MODEL: 'openai/b' }
    expect(await chosen('google/c', content, env)).toEqual(['google/c', 'google', 'c'])
    expect(await chosen(undefined, content, env)).toEqual(['openai/b', 'openai', 'b'])
    expect(await chosen(undefined, content)).toEqual(['ollama/a', 'ollama', 'a'])
    expect(await chosen('ollama/org/model:8b', {})).toEqual(['ollama/org/model:8b', 'ollama', 'org/model:8b'])
  })

  test('a mistake in the settings is the reason, with its place', async () => {
    const content = { model: 5, endpoints: { corp: { kind: 'x' }, openai: { url: 'nowhere' } } }
    const messageOf = (ref?: string) =>
      chooseModel(ref, person(content)).then(
        () => 'opened',
        (error: Error) => error.message,
      )
    expect(await messageOf()).toMatch(/settings\.json:2: Settings: "model" must be a text/)
    expect(await messageOf('corp/m')).toMatch(/settings\.json:5: Settings: "kind" of the endpoint "corp"/)
    // Not at the usual address with the usual key: the person wanted another one.
    expect(await messageOf('openai/m')).toMatch(/settings\.json:8: Settings: "url" of the endpoint "openai"/)
    expect(await messageOf('google/m')).toBe('opened')
  })

  test.each([
    [undefined, 'model.none', 'No model is chosen.', '--demo'],
    ['opena/gpt-5', 'model.unknown', 'There is no endpoint "opena".', 'Did you mean openai?'],
    ['corp/m', 'model.unknown', 'There is no endpoint "corp".', 'plugboard models add corp'],
    ['openai', 'model.unknown', '"openai" is an endpoint, not a model.', 'plugboard models openai'],
    ['gpt-5', 'model.unknown', '"gpt-5" names no endpoint: write it as endpoint/model.', 'openai/gpt-5'],
    [
      'claude-x',
      'model.unknown',
      '"claude-x" names no endpoint: write it as endpoint/model.',
      'anthropic/claude-x',
    ],
  ])('%s is an error with the next step', async (ref, code, message, hint) => {
    const error = await chooseModel(ref, person({})).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, message, hint: expect.stringContaining(hint) as string })
  })
})
