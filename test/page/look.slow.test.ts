import { describeLook } from './support/describe-look.ts'

describeLook([[320], [390, 'light', 'dark'], [768], [1280, 'light', 'dark'], [1920]])
