import { expect, test } from 'vitest'
import { shortPath } from './path.ts'

const here = { cwd: '/home/dana/shop', home: '/home/dana' }

test.each([
  ['/home/dana/shop/.mcp.json', '.mcp.json'],
  ['/home/dana/shop/a/b.json', 'a/b.json'],
  ['/home/dana/shopping/x.json', '~/shopping/x.json'],
  ['/home/dana/.cursor/mcp.json', '~/.cursor/mcp.json'],
  ['/home/danae/x.json', '/home/danae/x.json'],
  ['/etc/plugboard/managed-mcp.json', '/etc/plugboard/managed-mcp.json'],
  ['/home/dana', '/home/dana'],
])('%s is written as %s', (file, short) => {
  expect(shortPath(file, here)).toBe(short)
})

test('from the root, and without a home, a path stays whole', () => {
  expect(shortPath('/etc/x.json', { cwd: '/', home: '/' })).toBe('/etc/x.json')
  expect(shortPath('/home/dana/x.json', { cwd: '/tmp' })).toBe('/home/dana/x.json')
})
