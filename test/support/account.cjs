// Loaded by `node --require`: the variable ACCOUNT_HOME names the home directory that the system has for this account, so that
// a test or a measurement in a temporary home does not need an account of its own.
const os = require('node:os')

const { userInfo } = os
os.userInfo = (options) => ({ ...userInfo(options), homedir: process.env.ACCOUNT_HOME })
