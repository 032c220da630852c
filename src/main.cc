#include "fluxhook/cli/cli.h"

int main(int argc, char** argv) { return fluxhook::cli::run(argc, argv); }
