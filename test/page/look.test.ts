import { describeLook } from './support/describe-look.ts'

// All widths, and both themes at two of them, are in look.slow.test.ts.
describeLook([
  [390, 'dark'],
  [1280, 'light'],
])
