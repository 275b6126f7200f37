import { describe, expect, test } from 'vitest'
import { unusualParts } from './unusual-start.ts'

const kindsOf = (line: string, env: Readonly<Record<string, string>> = {}) => {
  const [command = '', ...args] = line.split(' ')
  return unusualParts({ transport: { kind: 'stdio', command, args, env } }).map(({ kind, text }) => [
    kind,
    text.split(' ')[0],
  ])
}

describe('T132 what decides which code runs, beside a package’s name and version', () => {
  test.each([
    ['npx -y --registry=http://r.example x', [['registry', '--registry=http://r.example']]],
    ['npx --userconfig ./rc x', [['registry', '--userconfig']]],
    ['uvx --index-url http://r.example x', [['registry', '--index-url']]],
    ['uv tool run --default-index http://r.example x', [['registry', '--default-index']]],
    ['pipx run -i http://r.example x', [['registry', '-i']]],
    ['env A=1 npx --@a:registry=http://r.example @a/x', [['registry', '--@a:registry=http://r.example']]],
    ['npx -y git+https://h.example/x', [['source', 'git+https://h.example/x']]],
    ['npx -y https://h.example/x.tgz', [['source', 'https://h.example/x.tgz']]],
    ['npx owner/repo', [['source', 'owner/repo']]],
    ['npx x@npm:y@1.0.0', [['source', 'x@npm:y@1.0.0']]],
    ['npx x@file:../y', [['source', 'x@file:../y']]],
    ['npx ./x', [['source', './x']]],
    ['uvx --from git+https://h.example/x x', [['source', 'git+https://h.example/x']]],
    ['uvx --with https://h.example/y.whl x', [['source', 'https://h.example/y.whl']]],
    ['env NODE_OPTIONS=--import=x node a.js', [['code', 'NODE_OPTIONS']]],
  ])('T132 %s', (line, parts) => {
    expect(kindsOf(line)).toEqual(parts)
  })

  test.each([
    ['npx -y @scope/x@1.0.0 --registry http://r.example ./folder'],
    ['npx -y x@latest https://h.example'],
    ['uvx x==1.0.0 --index-url a'],
    ['uvx --from x[cli]==1.0 --python 3.12 x'],
    ['docker run -i --rm ghcr.io/a/b:1.0'],
    ['node ./server.js'],
  ])('T132 %s is usual', (line) => {
    expect(kindsOf(line)).toEqual([])
  })

  test('T132 variables: code by a literal text, others shown', () => {
    const found = kindsOf('npx x', {
      NODE_OPTIONS: '--import data:text/javascript,x',
      npm_config_registry: 'http://r.example',
      LD_PRELOAD: '${PRELOAD}',
      HTTPS_PROXY: 'http://p.example',
      API_KEY: 'x',
    })
    expect(found).toEqual([
      ['code', 'NODE_OPTIONS'],
      ['code', 'npm_config_registry'],
      ['variable', 'LD_PRELOAD'],
      ['variable', 'HTTPS_PROXY'],
    ])
    expect(kindsOf('npx x', { NODE_OPTIONS: '--max-old-space-size=4096' })).toEqual([
      ['variable', 'NODE_OPTIONS'],
    ])
    expect(unusualParts({ transport: { kind: 'http', url: 'https://a.example' } })).toEqual([])
  })
})
