import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { Catalog } from './catalog.ts'
import { createSearch } from './search.ts'
import { toWords } from './search-index.ts'

const github = readTools('github')

function readTools(file: string): readonly ToolDefinition[] {
  const url = new URL(`../../test/fixtures/tools/${file}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as readonly ToolDefinition[] // a file of ours
}

function offer(servers: Readonly<Record<string, readonly ToolDefinition[]>>): Catalog {
  const catalog = new Catalog()
  for (const [name, tools] of Object.entries(servers)) offerOne(catalog, name, tools)
  return catalog
}

function offerOne(catalog: Catalog, name: string, tools: readonly ToolDefinition[]): void {
  const lists = { resources: [], resourceTemplates: [], prompts: [], at: '' }
  catalog.replace({ name, tools: { allow: null, deny: [] } }, { ...lists, tools })
}

function define(name: string, description = '', parameters: readonly string[] = []): ToolDefinition {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, {}]))
  return { name, description, inputSchema: { type: 'object', properties } }
}

function find(
  catalog: Catalog,
  text: string,
  options: Parameters<ReturnType<typeof createSearch>['find']>[1] = {},
) {
  return createSearch(() => catalog.slices())
    .find(text, options)
    .map(({ tool }) => tool.ref)
}

describe('search', () => {
  const catalog = offer({
    github,
    weather: [
      define('forecast', 'Tells the weather of tomorrow.', ['city', 'unit']),
      define('listAlerts', 'Storms', ['region']),
    ],
  })

  test.each([
    ['forecast', 'weather/forecast'],
    ['WEATHER tomorrow', 'weather/forecast'],
    ['alert', 'weather/listAlerts'],
    ['list alerts', 'weather/listAlerts'],
    ['city', 'weather/forecast'],
    ['storm', 'weather/listAlerts'],
    ['fork repo', 'github/fork_repository'],
    ['create gist', 'github/create_gist'],
    ['issue labels', 'github/update_issue_labels'],
    ['search for repositories', 'github/search_repositories'],
    ['security advisories', 'github/list_global_security_advisories'],
    ['github__get_file_contents', 'github/get_file_contents'],
  ])('%s finds %s first', (text, ref) => {
    expect(find(catalog, text)[0]).toBe(ref)
  })

  test('finds nothing for an empty query or an unknown word', () => {
    expect(find(catalog, '')).toEqual([])
    expect(find(catalog, '   ')).toEqual([])
    expect(find(catalog, 'xylophone')).toEqual([])
    expect(find(new Catalog(), 'anything')).toEqual([])
  })

  test('limit: returns the best matches only', () => {
    const all = find(catalog, 'repository issue', { limit: 100 })
    expect(all.length).toBeGreaterThan(3)
    expect(find(catalog, 'repository issue', { limit: 3 })).toEqual(all.slice(0, 3))
    expect(find(catalog, 'repository issue', { limit: 0 })).toEqual([])
  })

  test('where: never returns excluded tools', () => {
    const where = (tool: Tool) => tool.server !== 'github'
    expect(find(catalog, 'repository tomorrow issue', { where })).toEqual(['weather/forecast'])
  })

  test('equal scores are in the order of the catalog', () => {
    const same = offer({ b: [define('go', 'x')], a: [define('go', 'x')], c: [define('go', 'x')] })
    expect(find(same, 'go')).toEqual(['a/go', 'b/go', 'c/go'])
  })

  test('follows changes of the catalog', () => {
    const live = offer({ a: [define('first')] })
    const search = createSearch(() => live.slices())
    expect(search.find('second')).toEqual([])
    offerOne(live, 'a', [define('first'), define('second')])
    expect(search.find('second').map(({ tool }) => tool.ref)).toEqual(['a/second'])
    offerOne(live, 'a', [])
    expect(search.find('second')).toEqual([])
  })
})

describe('search in the tools of real servers', () => {
  const catalog = offer({
    files: readTools('server-filesystem'),
    github: readTools('server-github'),
    hub: github,
    memory: readTools('server-memory'),
  })

  test.each([
    ['create pull request', 'github/create_pull_request'],
    ['request pulls create', 'github/create_pull_request'],
    ['hub create pull request review', 'hub/create_pull_request_review'],
    ['merge the pull request', 'github/merge_pull_request'],
    ['pull request files', 'github/get_pull_request_files'],
    ['read file', 'files/read_file'],
    ['read a text file', 'files/read_text_file'],
    ['rename file', 'files/move_file'],
    ['read image', 'files/read_media_file'],
    ['list directories', 'files/list_directory'],
    ['update a file', 'github/create_or_update_file'],
    ['list open issues', 'github/list_issues'],
    ['search repository', 'github/search_repositories'],
    ['github create issue', 'github/create_issue'],
    ['comment on an issue', 'github/add_issue_comment'],
    ['branches', 'github/create_branch'],
    ['delete entity', 'memory/delete_entities'],
    ['memory search', 'memory/search_nodes'],
    ['open nodes', 'memory/open_nodes'],
    ['memory__open_nodes', 'memory/open_nodes'],
  ])('%s finds %s first', (text, ref) => {
    expect(find(catalog, text)[0]).toBe(ref)
  })

  test('names with the fewest other words come first, then the shortest', () => {
    expect(find(catalog, 'read file', { limit: 4 })).toEqual([
      'files/read_file',
      'files/read_text_file',
      'files/read_media_file',
      'files/read_multiple_files',
    ])
  })

  test('verbs count less than nouns', () => {
    const found = find(catalog, 'open issue', { limit: 100 })
    const names = found.filter((ref) => /issue/.test(ref))
    expect(names.length).toBeGreaterThan(8)
    expect(found.slice(0, names.length)).toEqual(names)
    expect(found).toContain('memory/open_nodes')
  })
})

test('search: all words in the name rank first, then all words anywhere, then some words', () => {
  const catalog = offer({
    a: [
      define('make_tea_make_tea', 'Tea, tea and more tea is made for you.'),
      define('boil', 'Puts the kettle on: tea is made of green leaves.', ['green']),
      define('greens', 'Salad.'),
      define('tea', 'Tea, tea and more tea.'),
      define('prepare_green_tea_now', 'It takes a while.'),
      define('teas_green', 'x'),
    ],
  })
  expect(find(catalog, 'green tea').slice(0, 3)).toEqual([
    'a/teas_green',
    'a/prepare_green_tea_now',
    'a/boil',
  ])
  expect(find(catalog, 'green tea').slice(3).sort()).toEqual(['a/greens', 'a/make_tea_make_tea', 'a/tea'])
})

test('search: stop words are ignored, unless there are no other words', () => {
  const catalog = offer({ a: [define('show_to', 'x'), define('tell', 'Of the things.'), define('of_the')] })
  expect(find(catalog, 'tell of the')).toEqual(['a/tell'])
  expect(find(catalog, 'of the')).toEqual(['a/of_the', 'a/tell'])
})

test.each([
  ['repository repositories', 'repositori'],
  ['branch branches', 'branch'],
  ['cookie cookies', 'cooki'],
  ['class classes', 'class'],
  ['key keys', 'key'],
  ['box boxes', 'box'],
  ['cache caches', 'cach'],
  ['query queries', 'queri'],
])('toWords: %s have one stem', (text, stem) => {
  expect(toWords(text)).toEqual([stem, stem])
})

test.each([
  ['listOpenIssues', ['list', 'open', 'issue']],
  ['list_open-issues.v2', ['list', 'open', 'issue', 'v', '2']],
  ['HTTPServer URLs aB', ['http', 'server', 'url', 'a', 'b']],
  ['class bus gas', ['class', 'bus', 'gas']],
  ['Größe ändern', ['größe', 'ändern']],
  ['天気 を', ['天気', 'を']],
])('toWords: %s gives %j', (text, words) => {
  expect(toWords(text)).toEqual(words)
})

test('FI-81 search: no tool text and no query makes it throw', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string())),
      fc.string({ unit: 'binary' }),
      (tools, text) => {
        const names = new Map(
          tools.map(([name, description]) => [name || 'x', define(name || 'x', description)]),
        )
        const found = find(offer({ s: [...names.values()] }), text)
        expect(found.length).toBeLessThanOrEqual(20)
      },
    ),
  )
  const long = define(
    'x',
    'word '.repeat(1_000_000),
    Array.from({ length: 10_000 }, (_, at) => `p${at}`),
  )
  expect(find(offer({ s: [long] }), 'word '.repeat(100_000))).toEqual(['s/x'])
})

test('search: a prefix finds a word, also one that ends in y', () => {
  const tools = ['create_deployment', 'list_deployments', 'playlist_add', 'displayed_item'].map((name) =>
    define(name),
  )
  const catalog = offer({ s: tools })
  expect(['deploy', 'play', 'display'].map((word) => find(catalog, word))).toEqual([
    ['s/list_deployments', 's/create_deployment'],
    ['s/playlist_add'],
    ['s/displayed_item'],
  ])
})
