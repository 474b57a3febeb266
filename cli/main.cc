// SPDX-License-Identifier: Apache-2.0
#include "program.h"

int main(int argc, char** argv) { return orthodict::cli::run_program(argc, argv); }
