import { expect, test } from 'vitest'
import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from './ip-address.ts'

const words = (text: string) => text.split(' ')

test('T29 isPublicAddress: true only for addresses of the public internet, in any notation', () => {
  const open = [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::808:808',
  ]
  const closed = [
    '',
    ...words('0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.9.9'),
    ...words('192.0.0.1 192.0.2.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.9 224.0.0.1 255.255.255.255'),
    ...words(':: ::1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001:db8::1 2001::1 2002:a00:1::'),
    ...words('::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 64:ff9b::a00:1 64:ff9b:1::1 100::1 1::'),
    ...words('example.com 1.2.3 1.2.3.256 1::2::3 : 1:2:3:4:5:6:7:8:9 g::'),
  ]
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([])
  expect(closed.filter((address) => isPublicAddress(address))).toEqual([])
})

test('isLoopbackHost: knows the names and addresses of this machine', () => {
  expect(
    ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].filter((each) => !isLoopbackAddress(each)),
  ).toEqual([])
  expect(['localhost', 'a.localhost', '[::1]', '127.0.0.1'].filter((each) => !isLoopbackHost(each))).toEqual(
    [],
  )
  expect(
    ['localhost.example.com', '10.0.0.1', '::2', 'notlocalhost'].filter((each) => isLoopbackHost(each)),
  ).toEqual([])
})
