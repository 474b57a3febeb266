# SPDX-License-Identifier: Apache-2.0
from orthodict._command import main

main()
