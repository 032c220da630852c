// ring: shows that a job's tasks are one MPI world over all nodes. A sum goes once around the ranks, each adds its own;
// then a byte goes to and fro between the first rank and the last. Rank 0 prints what came of it.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 200, NAME = MPI_MAX_PROCESSOR_NAME };

static int around(int rank, int size) {
    int sum = 0;
    if (size == 1) return 0;
    if (rank > 0) MPI_Recv(&sum, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank;
    MPI_Send(&sum, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&sum, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return sum;
}

// Half of the time of a turn, in microseconds.
static double latency(int rank, int size) {
    char byte = 0;
    const double began = MPI_Wtime();
    for (int turn = 0; turn < TURNS && size > 1; turn++) {
        if (rank == 0) {
            MPI_Send(&byte, 1, MPI_CHAR, size - 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&byte, 1, MPI_CHAR, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == size - 1) {
            MPI_Recv(&byte, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&byte, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - began) / TURNS / 2 * 1e6;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, length;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char name[NAME] = "", names[256][NAME], library[MPI_MAX_LIBRARY_VERSION_STRING];
    if (size > 256) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Get_processor_name(name, &length);
    MPI_Get_library_version(library, &length);
    MPI_Gather(name, NAME, MPI_CHAR, names, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    const int sum = around(rank, size);
    const double microseconds = latency(rank, size);
    if (rank == 0) {
        printf("%.*s\n", (int)strcspn(library, "\n,"), library);
        printf("sum of %d ranks: %d\n", size, sum);
        for (int i = 0; i < size; i++) printf("rank %d on %s\n", i, names[i]);
        printf("latency %.1f us\n", microseconds);
    }
    MPI_Finalize();
    return 0;
}
